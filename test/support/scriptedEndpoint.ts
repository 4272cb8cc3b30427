import { createServer, type Server, type Socket } from 'node:net';
import type { MailLine } from '../../src/core/protocol/actors/privateWire';
import { padLine } from '../../src/core/protocol/actors/padLine';
import { LineBuffer } from '../../src/core/system/lineBuffer';

/** A line of an agent, and over which of its connections it came. */
export interface AgentLine {
  readonly connection: number;
  readonly said: Readonly<Record<string, unknown>>;
}

/**
 * An agent's endpoint that says what a test tells it, and nothing else: for what no keeper can be made to do at a chosen
 * moment. It can be closed and opened again under the same path.
 */
export class ScriptedEndpoint {
  readonly #path: string;
  readonly #wire: 'private' | 'compatible';
  readonly #lines: AgentLine[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #connections = 0;
  #newest: Socket | null = null;
  /** Whether a message is accepted as soon as it came. */
  accepts = true;

  constructor(path: string, wire: 'private' | 'compatible') {
    this.#path = path;
    this.#wire = wire;
  }

  /** All that agents said so far. */
  get lines(): readonly AgentLine[] {
    return this.#lines;
  }

  async open(): Promise<void> {
    const server = createServer((socket) => {
      this.#hear(socket);
    });
    this.#server = server;
    await new Promise<void>((resolve) => {
      server.listen(this.#path, resolve);
    });
  }

  /** Ends everything at once, as the death of a keeper does it; its socket file goes too. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    this.#sockets.forEach((socket) => socket.destroy());
    if (server !== null) {
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    }
  }

  /** Says a line over the newest connection. */
  say(line: object): void {
    const text = JSON.stringify(line);
    this.#newest?.write((this.#wire === 'private' ? null : padLine(text)) ?? `${text}\n`);
  }

  /** Sends a message of this number to the agent. */
  mail(seq: number, type: string, payload: object, more: Partial<MailLine> = {}): void {
    const id = `msg-20260125-150000-${String(seq).padStart(16, '0')}`;
    const message = { id, type, from: 'pm', to: 'agent', timestamp: '2026-01-25T15:00:00.123Z', payload, ...more };
    this.say(this.#wire === 'private' ? { ...message, seq } : message);
  }

  /** The first line, after those that were there `since`, that fits. */
  async hears(fits: (line: AgentLine) => boolean, since = 0): Promise<AgentLine> {
    return await new Promise((resolve) => {
      const look = (): void => {
        const found = this.#lines.slice(since).find(fits);
        if (found !== undefined) {
          this.#waiting.delete(look);
          resolve(found);
        }
      };
      this.#waiting.add(look);
      look();
    });
  }

  async hearsType(type: string, since = 0): Promise<AgentLine> {
    return await this.hears(({ said }) => said['type'] === type, since);
  }

  async hearsAck(seq: number, since = 0): Promise<AgentLine> {
    return await this.hears(({ said }) => said['ack'] === seq, since);
  }

  #hear(socket: Socket): void {
    this.#connections += 1;
    const connection = this.#connections;
    const buffer = new LineBuffer();
    this.#newest = socket;
    this.#sockets.add(socket);
    // A killed agent resets its connection.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (piece: Buffer) => {
      for (const line of buffer.push(piece)) {
        this.#take(connection, JSON.parse(line ?? 'null') as AgentLine['said']);
      }
    });
  }

  #take(connection: number, said: AgentLine['said']): void {
    this.#lines.push({ connection, said });
    if (this.accepts && typeof said['n'] === 'number') {
      this.say({ accepted: said['n'] });
    }
    this.#waiting.forEach((look) => {
      look();
    });
  }
}
