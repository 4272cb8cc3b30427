import { existsSync, mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { delay, type Clock } from '../../core/base/clock';
import { errorText } from '../../core/base/errorText';
import { supervisorName } from '../../core/protocol/actors/agentName';
import type { Message } from '../../core/protocol/actors/message';
import { newMessageId } from '../../core/protocol/actors/messageId';
import type { LineSource } from '../../core/protocol/actors/readAgentLine';
import type { AgentWire, MailboxOrder, MailboxRecord } from '../../core/protocol/keeper/mail';
import type { KeeperSpec } from '../../core/protocol/keeper/keeperSpec';
import type { SpooledSend } from '../../core/protocol/keeper/spoolLine';
import type { ControlMethod } from '../../core/system/controlServer';
import { randomHex } from '../../core/system/randomHex';
import { readCursor } from '../../core/system/readCursor';
import { listenLocal, type LocalServer } from '../../core/system/localServer';
import { seldom } from '../seldom';
import type { AgentConnection } from './agentConnection';
import { CompatibleEndpoint } from './compatibleEndpoint';
import { CompatibleWire } from './compatibleWire';
import { LeaderFeed } from './leaderFeed';
import type { MailDesk, Reception, Wire } from './mailDesk';
import { mailMethods } from './mailMethods';
import { PrivateWire } from './privateWire';
import { Spool } from './spool';

export interface MailboxOptions {
  readonly order: MailboxOrder;
  readonly spec: Pick<KeeperSpec, 'root' | 'folder' | 'runtimeDir'>;
  readonly clock: Clock;
  /** How it stands at first. */
  readonly record: MailboxRecord;
  /** A name for this run of the agent, another one with each keeper. */
  readonly name: string;
  /** Stores how it stands. */
  readonly onRecord: (record: MailboxRecord) => void;
  /** The agent has a connection now, or none any more. */
  readonly onConnection: (isConnected: boolean) => void;
  /** A line for the person who reads the log. */
  readonly note: (text: string) => void;
}

const RETRY_MS = 1000;
/** Whoever holds the compatible endpoint is not asked more often, milliseconds. */
const COMPATIBLE_MS = 2000;
/** What a process that has ended sent is read within this time, milliseconds. */
const DRAIN_MS = 1000;
const DRAIN_LOOK_MS = 20;
/** At the end of the keeper a leader that listens is told the rest; a frozen one must not hold it up, milliseconds. */
const FLUSH_MS = 2000;

/** An agent's mailbox: its two endpoints, its spool, and the way to the process that leads (actors.md §2, §5). */
export class Mailbox implements MailDesk {
  readonly #options: MailboxOptions;
  readonly clock: Clock;
  readonly spool: Spool;
  readonly #feed: LeaderFeed;
  readonly #private: PrivateWire;
  readonly #compatible: CompatibleWire;
  readonly #endpoint: CompatibleEndpoint | null;
  readonly #mendCompatible: () => Promise<void>;
  #server: LocalServer | null = null;
  #record: MailboxRecord;
  #isConnected = false;
  #listener: Wire['listener'] = null;
  #farewell: Message | null = null;
  #inTrouble = false;

  /** Opens the spool. Throws when the disk refuses. */
  constructor(options: MailboxOptions) {
    const { order, spec, clock } = options;
    this.#options = options;
    this.clock = clock;
    this.spool = new Spool(join(spec.folder, 'spool.jsonl'));
    this.#feed = new LeaderFeed(this.spool, clock);
    this.#private = new PrivateWire(order.token, this);
    this.#compatible = new CompatibleWire({
      desk: this,
      process: options.name,
      isByHand: order.byHand === true,
      notice: (payload) => this.#notice(payload),
    });
    this.#endpoint = this.#compatibleEndpoint();
    this.#mendCompatible = seldom(clock, COMPATIBLE_MS, async () => {
      await this.#ensureCompatible();
    });
    this.#record = options.record;
  }

  /** How it stands now. */
  get record(): MailboxRecord {
    return this.#record;
  }

  get farewell(): Message | null {
    return this.#farewell;
  }

  /** Whether a connection of the agent is open. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** What the process that leads may ask of it. */
  get methods(): Readonly<Record<string, ControlMethod>> {
    return mailMethods({
      spool: this.spool,
      feed: this.#feed,
      record: () => this.#record,
      onMail: () => {
        this.#pump();
      },
    });
  }

  /** Listens on both endpoints. Rejects when our own cannot be had; existing agents only lose theirs. */
  async listen(): Promise<void> {
    this.#server = await listenLocal(this.#options.order.privateEndpoint, (socket) => {
      this.#private.accept(socket);
    });
    await this.#ensureCompatible();
  }

  /** Makes again what somebody removed, and asks again for an endpoint that somebody else held. Rejects on a disk error. */
  async mend(): Promise<void> {
    await this.#mendCompatible();
    await this.#server?.ensureListening();
    const { folder } = this.#options.spec;
    // Where more than this folder is gone the project may have moved.
    if (existsSync(dirname(folder))) {
      mkdirSync(folder, { recursive: true });
      this.spool.mend();
    }
  }

  /** Tells the agent to shut down, on every connection that there is or comes (actors.md §6). */
  askToStop(): void {
    this.#farewell ??= this.#notice({ systemEvent: 'shutdown', message: 'The supervisor asks this agent to stop.' });
    this.#private.say(this.#farewell);
    this.#compatible.say(this.#farewell);
  }

  /** The agent's process is gone: resolves when what it sent last is read, or when somebody else's connection stays. */
  async drain(): Promise<void> {
    const deadline = this.clock.monotonic() + DRAIN_MS;
    do {
      // Also where none is open: one may wait to be accepted.
      await delay(this.clock, DRAIN_LOOK_MS);
    } while ((this.#private.isOpen || this.#compatible.isOpen) && this.clock.monotonic() < deadline);
  }

  /**
   * The agent's process left with a code that is no failure: what it began is done with, also where its last word about
   * that is missing (a handler that ends its script).
   */
  finishBegun(): void {
    this.#private.finishBegun(readCursor(join(this.#options.spec.folder, 'cursor')));
  }

  /** Ends every connection, and tells a leader the rest. What none has taken stays in the spool. */
  async close(): Promise<void> {
    this.#server?.close();
    await this.#endpoint?.close();
    this.#private.close();
    this.#compatible.close();
    await Promise.race([this.#feed.flush(), delay(this.clock, FLUSH_MS)]);
  }

  source(): LineSource {
    return { agent: this.#options.order.agent, now: this.clock.now(), randomHex };
  }

  receive(from: AgentConnection, sends: readonly SpooledSend[], reception: Reception): void {
    if (this.#accept(sends)) {
      reception.onSafe();
    } else {
      void this.#receiveLater(from, sends, reception);
    }
  }

  connectionsChanged(wire: AgentWire): void {
    const isConnected = this.#private.isConnected || this.#compatible.isConnected;
    const at = new Date(this.clock.now()).toISOString();
    if (isConnected !== this.#isConnected) {
      this.#isConnected = isConnected;
      const connected = { name: 'connected', params: { endpoint: wire, at } } as const;
      this.#feed.tell(isConnected ? connected : { name: 'disconnected', params: { at } });
      this.#options.onConnection(isConnected);
    }
    if (isConnected && this.#record.connectedAt === null) {
      this.#update({ connectedAt: at, connectedBy: wire });
    }
    this.#listenerChanged();
    this.#pump();
  }

  handed(seqs: readonly number[], redelivered: readonly number[]): void {
    this.#feed.tell({ name: 'handed', params: { seqs, redelivered } });
  }

  acked(seqs: readonly number[]): void {
    this.#feed.tell({ name: 'acked', params: { seqs } });
  }

  unfit(seq: number, reason: string): void {
    this.#feed.tell({ name: 'unfit', params: { seq, reason } });
  }

  note(text: string): void {
    this.#options.note(text);
  }

  /** A runtime of ours goes first: where both are open, the other one is a helper. */
  get #wire(): Wire {
    return this.#private.isConnected ? this.#private : this.#compatible;
  }

  #listenerChanged(): void {
    const { listener } = this.#wire;
    if (listener !== null && listener !== this.#listener) {
      // A runtime of ours knows what it got already; the others take everything for new.
      this.spool.begin(listener.name, this.#private.isConnected);
    }
    this.#listener = listener;
  }

  #pump(): void {
    this.#wire.pump();
  }

  #accept(sends: readonly SpooledSend[]): boolean {
    try {
      this.spool.accept(sends);
      this.#inTrouble = false;
      this.#feed.wake();
      return true;
    } catch (error) {
      if (!this.#inTrouble) {
        this.#inTrouble = true;
        this.note(
          `Messages of the agent wait, because the spool cannot be written: ${errorText(error)}. ` +
            `Make room for ${this.#options.spec.folder}: they go on by themselves.`,
        );
      }
      return false;
    }
  }

  async #receiveLater(from: AgentConnection, sends: readonly SpooledSend[], reception: Reception): Promise<void> {
    from.pause();
    do {
      await delay(this.clock, RETRY_MS);
    } while (reception.isWanted() && !this.#accept(sends));
    if (reception.isWanted()) {
      reception.onSafe();
      from.resume();
    }
  }

  #compatibleEndpoint(): CompatibleEndpoint | null {
    const { order, spec } = this.#options;
    const { agent, compatibleEndpoint: endpoint } = order;
    const accept = (socket: Socket): void => {
      this.#compatible.accept(socket);
    };
    return endpoint === null ? null : new CompatibleEndpoint({ ...spec, agent, endpoint, accept });
  }

  async #ensureCompatible(): Promise<void> {
    const standing = (await this.#endpoint?.ensure()) ?? null;
    const before = this.#record.compatible;
    if (standing?.state !== before?.state || standing?.trouble !== before?.trouble) {
      this.#update({ compatible: standing });
      if (standing !== null) {
        this.note(standing.trouble ?? `Agents of other programs can connect at ${standing.endpoint}.`);
      }
    }
  }

  #update(change: Partial<MailboxRecord>): void {
    this.#record = { ...this.#record, ...change };
    this.#options.onRecord(this.#record);
  }

  #notice(payload: Message['payload']): Message {
    const { agent } = this.#options.order;
    const now = this.clock.now();
    return {
      id: newMessageId(now, randomHex),
      type: 'System',
      from: supervisorName,
      to: agent,
      timestamp: new Date(now).toISOString(),
      payload,
    };
  }
}
