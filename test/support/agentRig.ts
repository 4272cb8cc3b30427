import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Message } from '../../src/core/protocol/actors/message';
import type {
  AcceptedMessage,
  MailboxOrder,
  MailboxRecord,
  MailItem,
  MailState,
} from '../../src/core/protocol/keeper/mail';
import type { EngineCommand, KeeperSpec } from '../../src/core/protocol/keeper/keeperSpec';
import { compatibleEndpointOf, privateEndpointOf } from '../../src/core/system/agentEndpoint';
import type { ControlClient } from '../../src/core/system/controlClient';
import { LineBuffer } from '../../src/core/system/lineBuffer';
import { bundledProgram } from './bundledProgram';
import { eventually, KeeperRig, type KeeperUnderTest } from './keeperRig';

const TOKEN = 'a-token-of-this-test';
const AGENT = 'developer';

/** A raw connection to an endpoint, which sends what a test tells it and keeps what it hears. */
export class RawAgent {
  readonly socket: Socket;
  readonly heard: Record<string, unknown>[] = [];
  /** How long each whole line was, with its newline, bytes. */
  readonly sizes: number[] = [];
  isClosed = false;
  /** Hears each line as it comes. */
  onLine: (line: Record<string, unknown>) => void = () => undefined;
  readonly #buffer = new LineBuffer(8 * 1024 * 1024);

  constructor(endpoint: string) {
    this.socket = connect(endpoint);
    this.socket.on('data', (piece: Buffer) => {
      for (const line of this.#buffer.push(piece)) {
        this.sizes.push(Buffer.byteLength(line ?? '') + 1);
        const value = JSON.parse(line ?? 'null') as Record<string, unknown>;
        this.heard.push(value);
        this.onLine(value);
      }
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
  }

  say(value: unknown): void {
    this.write(`${JSON.stringify(value)}\n`);
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  async hears(what: string, check: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    return await eventually(async () => {
      const found = this.heard.find(check);
      if (found === undefined) {
        throw new Error(`${what} was not heard among ${this.heard.length} lines`);
      }
      return await Promise.resolve(found);
    });
  }

  /** Numbers of the mail that it got, in order. */
  seqs(): readonly number[] {
    return this.heard.flatMap(({ seq }) => (typeof seq === 'number' && seq > 0 ? [seq] : []));
  }

  async untilClosed(): Promise<void> {
    await eventually(async () => {
      if (!this.isClosed) {
        throw new Error('the connection is still open');
      }
      await Promise.resolve();
    });
  }
}

/** The process that leads, as an agent's keeper sees it. */
export class Leader {
  readonly accepted: AcceptedMessage[] = [];
  readonly events: { readonly event: string; readonly params: unknown }[] = [];
  readonly client: ControlClient;

  constructor(client: ControlClient) {
    this.client = client;
    client.onEvent(({ event, params }) => {
      this.events.push({ event, params });
      if (event === 'accepted') {
        this.accepted.push(...(params as { messages: AcceptedMessage[] }).messages);
      }
    });
  }

  async attach(taken = 0): Promise<MailState> {
    return (await this.client.request('attach', { taken })) as MailState;
  }

  async deliver(...items: readonly MailItem[]): Promise<void> {
    await this.client.request('deliver', { items });
  }

  /** All numbers that events of this name told so far. */
  told(event: 'handed' | 'acked', key: 'seqs' | 'redelivered' = 'seqs'): readonly number[] {
    return this.events.flatMap((one) =>
      one.event === event ? ((one.params as Record<string, number[] | undefined>)[key] ?? []) : [],
    );
  }

  /** Waits until so many messages were accepted, and gives them. */
  async has(count: number): Promise<readonly AcceptedMessage[]> {
    return await eventually(async () => {
      if (this.accepted.length < count) {
        throw new Error(`${this.accepted.length} of ${count} messages were accepted`);
      }
      return await Promise.resolve(this.accepted);
    });
  }

  async untilTold(event: string): Promise<unknown> {
    return await eventually(async () => {
      const found = this.events.find((one) => one.event === event);
      if (found === undefined) {
        throw new Error(`${event} was not told`);
      }
      return await Promise.resolve(found.params);
    });
  }
}

/** Real keepers of one session agent, with raw sockets in the place of the agent and of the leader. */
export class AgentRig extends KeeperRig {
  readonly #sockets: RawAgent[] = [];

  override get folder(): string {
    return join(this.root, '.claude/session/keepers', AGENT);
  }

  get tempDir(): string {
    return join(this.root, 't');
  }

  get order(): MailboxOrder {
    return {
      agent: AGENT,
      privateEndpoint: privateEndpointOf(this.runtimeDir, this.folder),
      token: TOKEN,
      compatibleEndpoint: compatibleEndpointOf(AGENT, this.tempDir),
      connectMs: null,
      logFile: join(this.root, '.claude/session/logs', `${AGENT}.log`),
    };
  }

  override prepare(): void {
    super.prepare();
    mkdirSync(this.tempDir, { recursive: true });
    mkdirSync(this.runtimeDir, { recursive: true, mode: 0o700 });
  }

  override async cleanUp(): Promise<void> {
    this.#sockets.splice(0).forEach(({ socket }) => socket.destroy());
    await super.cleanUp();
  }

  agentSpec(
    order: Partial<MailboxOrder> = {},
    command: Partial<EngineCommand> = { command: 'sleep', args: ['600'] },
    change: Partial<KeeperSpec> = {},
  ): KeeperSpec {
    return this.spec({ mailbox: { ...this.order, ...order }, ...change }, command);
  }

  /** A keeper of an agent whose own process does nothing; the tests connect in its place. */
  async host(order: Partial<MailboxOrder> = {}, change: Partial<KeeperSpec> = {}): Promise<KeeperUnderTest> {
    return await this.start(this.agentSpec(order, undefined, change));
  }

  async leader(epoch = 1): Promise<Leader> {
    return new Leader(await this.connect(epoch));
  }

  /** A runtime of ours that has said hello. */
  runtime(run: string, { cursor = 0, token = TOKEN }: { cursor?: number; token?: string } = {}): RawAgent {
    const agent = this.raw(this.order.privateEndpoint);
    agent.say({ hello: 1, token, run, cursor });
    return agent;
  }

  /** An existing agent that has said that it is ready. */
  existing(): RawAgent {
    const agent = this.raw(this.order.compatibleEndpoint ?? '');
    agent.say({ type: 'AgentStatus', from: AGENT, to: 'watchdog', payload: { status: 'ready' } });
    return agent;
  }

  raw(endpoint: string): RawAgent {
    const agent = new RawAgent(endpoint);
    this.#sockets.push(agent);
    return agent;
  }

  /** Makes an empty file where the agent's process runs. */
  async write(name: string): Promise<void> {
    await writeFile(join(this.root, name), '');
  }

  async remove(...paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await rm(path);
    }
  }

  /** Permissions of a file, or null where there is none. */
  modeOf(path: string): number | null {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? null : stat.mode & 0o777;
  }

  async mailbox(): Promise<MailboxRecord> {
    const { mailbox } = await this.mustRecord();
    if (mailbox === undefined) {
      throw new Error('the record has no mailbox');
    }
    return mailbox;
  }
}

/** A fresh rig for each test of the file. */
export function useAgents(): AgentRig {
  const rig = new AgentRig(bundledProgram('src/keeper/main.ts'));
  beforeEach(() => {
    rig.prepare();
  });
  afterEach(async () => {
    await rig.cleanUp();
  });
  return rig;
}

/** Some message to the agent. */
export function mail(seq: number, change: Partial<Message> = {}): MailItem {
  const id = `msg-20260301-143022-${randomBytes(8).toString('hex')}`;
  const message = { id, type: 'PlanUpdate', from: 'pm', to: AGENT, timestamp: '2026-03-01T14:30:22.000Z', payload: {} };
  return { seq, message: { ...message, payload: { seq }, ...change } };
}

/** Waits until these expectations hold. */
export async function holds(check: () => Promise<void> | void): Promise<void> {
  await eventually(async () => {
    await check();
  });
}
