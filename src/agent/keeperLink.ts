import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../core/base/errorText';
import type { Message } from '../core/protocol/actors/message';
import type { MailLine, RuntimeLine } from '../core/protocol/actors/privateWire';
import { LineBuffer, MAX_LINE_BYTES } from '../core/system/lineBuffer';
import { AgentError } from './agentError';

/** How long a lost connection is tried again: as long as another keeper may need to take over. */
const RECONNECT_MS = 30_000;
const PAUSE_MS = 200;
const ACCEPT_MS = 60_000;

export interface LinkOptions {
  readonly agent: string;
  readonly endpoint: string;
  /** The first line of each connection. */
  readonly greeting: () => RuntimeLine | Message;
  /** Whether the other side says what it accepted; existing supervisors do not. */
  readonly confirms: boolean;
  readonly onMail: (mail: MailLine) => void;
  /** The supervisor is gone for good, or refuses this agent. */
  readonly onEnd: (error: AgentError) => void;
}

interface Unaccepted {
  readonly line: string;
  readonly settle: (refusal: AgentError | null) => void;
}

/** The connection to the keeper. Comes back by itself, and sends again whatever was not accepted. */
export class KeeperLink {
  readonly #options: LinkOptions;
  readonly #outbox = new Map<number, Unaccepted>();
  /** What was sent in this turn of the event loop: it goes by one write. */
  #unwritten: number[] = [];
  #socket: Socket | null = null;
  #end: AgentError | null = null;
  #sent = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Tries until somebody answers; rejects after `timeoutMs`. */
  async open(timeoutMs: number): Promise<void> {
    const { agent, endpoint } = this.#options;
    const from = performance.now();
    for (;;) {
      try {
        this.#use(await connected(endpoint));
        return;
      } catch (error) {
        if (performance.now() - from >= timeoutMs) {
          const advice = `Start it with: rollcall agent start ${agent}`;
          throw new AgentError(`Nobody answers for the agent '${agent}' (${errorText(error)}). ${advice}`);
        }
      }
      await pause(PAUSE_MS);
    }
  }

  /** Resolves once the message is safe; rejects where it never will be, or is not yet after a minute. */
  async send(message: Message): Promise<void> {
    if (this.#end !== null) {
      throw this.#end;
    }
    this.#sent += 1;
    const number = this.#sent;
    const line = lineOf(this.#options.confirms ? { ...message, n: number } : message);
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new AgentError('The supervisor has not taken the message for a minute. Look at: rollcall status'));
      }, ACCEPT_MS);
      const settle = (refusal: AgentError | null): void => {
        clearTimeout(late);
        if (refusal === null) {
          resolve();
        } else {
          reject(refusal);
        }
      };
      this.#outbox.set(number, { line, settle });
      this.#postSoon(number);
    });
  }

  /**
   * Best effort, behind all that was sent: where the connection is gone the message comes again over the next one. The
   * system has it when this returns; resolves when more may be said.
   */
  async acknowledge(seq: number): Promise<void> {
    this.flush();
    const socket = this.#socket;
    if (socket !== null && this.#options.confirms && !socket.write(lineOf({ ack: seq }))) {
      await new Promise<void>((resolve) => {
        socket.once('drain', resolve);
        socket.once('close', resolve);
      });
    }
  }

  /** Hands the system what was sent and not written yet. */
  flush(): void {
    const numbers = this.#unwritten;
    this.#unwritten = [];
    const lines = numbers.flatMap((number) => this.#outbox.get(number)?.line ?? []);
    if (lines.length > 0) {
      this.#post(numbers, lines.join(''));
    }
  }

  #use(socket: Socket): void {
    const lines = new LineBuffer(MAX_LINE_BYTES * 2);
    this.#socket = socket;
    socket.on('data', (piece: Buffer) => {
      for (const line of lines.push(piece)) {
        this.#take(line ?? '');
      }
    });
    // What an error means is that the connection closes.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#socket = null;
      void this.#restore();
    });
    socket.write(lineOf(this.#options.greeting()));
    this.#unwritten = [...this.#outbox.keys()];
    this.flush();
  }

  async #restore(): Promise<void> {
    if (this.#end !== null) {
      return;
    }
    try {
      await this.open(RECONNECT_MS);
    } catch (error) {
      this.#finish(error instanceof AgentError ? error : new AgentError(errorText(error)));
    }
  }

  #postSoon(number: number): void {
    if (this.#unwritten.length === 0) {
      process.nextTick(() => {
        this.flush();
      });
    }
    this.#unwritten.push(number);
  }

  #post(numbers: readonly number[], lines: string): void {
    this.#socket?.write(lines, (error) => {
      // Who confirms nothing has it when the system has it.
      if (!this.#options.confirms && (error === null || error === undefined)) {
        numbers.forEach((number) => {
          this.#settle(number, null);
        });
      }
    });
  }

  #take(line: string): void {
    const said = parsed(line);
    if (typeof said['type'] === 'string') {
      // Existing supervisors may send none.
      this.#options.onMail({ ...said, payload: said['payload'] ?? {} } as unknown as MailLine);
    } else if (typeof said['accepted'] === 'number') {
      this.#settle(said['accepted'], null);
    } else if (said['refused'] === 0) {
      this.#finish(new AgentError(`The supervisor refused this agent: ${String(said['reason'])}`));
    } else if (typeof said['refused'] === 'number') {
      this.#settle(said['refused'], new AgentError(`The message was refused: ${String(said['reason'])}`));
    }
  }

  #settle(number: number, refusal: AgentError | null): void {
    this.#outbox.get(number)?.settle(refusal);
    this.#outbox.delete(number);
  }

  #finish(error: AgentError): void {
    this.#end = error;
    this.#socket?.destroy();
    for (const number of this.#outbox.keys()) {
      this.#settle(number, error);
    }
    this.#options.onEnd(error);
  }
}

async function connected(endpoint: string): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    const socket = connect(endpoint);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** Nothing that can be read as nothing at all: a line of rubbish must not end an agent. */
function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    // Blank, cut or foreign.
    return {};
  }
}

function lineOf(line: RuntimeLine | Message): string {
  return `${JSON.stringify(line)}\n`;
}
