import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Message } from '../../core/protocol/actors/message';
import type { KeeperLine, RuntimeHello } from '../../core/protocol/actors/privateWire';
import { readAgentValue, tooLongReason } from '../../core/protocol/actors/readAgentLine';
import { isRecord, readJson } from '../../core/protocol/events/jsonGuards';
import type { SpooledSend } from '../../core/protocol/keeper/spoolLine';
import { AgentConnection, MAX_CONNECTIONS } from './agentConnection';
import type { MailDesk, Wire } from './mailDesk';
import { sendOf } from './sendOf';
import type { SpooledMail } from './spool';

/** So much mail the agent may have without having acknowledged it. */
const MAX_OPEN = 64;
const WRITE_BYTES = 256 * 1024;

interface Runtime {
  readonly connection: AgentConnection;
  readonly hello: RuntimeHello;
  readonly name: string;
  /** The highest number that it sent on this connection. */
  highest: number;
}

/** The endpoint of our own agent runtimes (privateWire.ts): a token, numbers in both directions, acknowledgements. */
export class PrivateWire implements Wire {
  readonly #desk: MailDesk;
  readonly #token: string;
  /** Oldest first; mail goes to the first one, because a second one is a helper that leaves soon. */
  #runtimes = new Set<Runtime>();
  readonly #strangers = new Set<AgentConnection>();
  /** The process that got mail last; it may be gone. */
  #last: Runtime | null = null;
  #pumping = false;
  /** Mail that is being written, which nobody was told of. */
  #going: readonly number[] = [];
  #repeated: readonly number[] = [];

  constructor(token: string, desk: MailDesk) {
    this.#token = token;
    this.#desk = desk;
  }

  get isConnected(): boolean {
    return this.#runtimes.size > 0;
  }

  get isOpen(): boolean {
    return this.#runtimes.size + this.#strangers.size > 0;
  }

  get listener(): Runtime | null {
    const [first] = this.#runtimes;
    return first ?? null;
  }

  /** Takes a new connection; it counts once its hello was good. */
  accept(socket: Socket): void {
    if (this.#strangers.size + this.#runtimes.size >= MAX_CONNECTIONS) {
      socket.destroy();
      return;
    }
    let runtime: Runtime | null = null;
    const connection = new AgentConnection(socket, {
      onLines: ([first, ...rest]) => {
        if (runtime !== null) {
          this.#hear(runtime, first === undefined ? [] : [first, ...rest]);
        } else if (first !== undefined) {
          runtime = this.#greet(connection, first);
          this.#hear(runtime, rest);
        }
      },
      onClose: () => {
        this.#strangers.delete(connection);
        this.#leave(runtime);
      },
    });
    this.#strangers.add(connection);
  }

  pump(): void {
    if (!this.#pumping) {
      this.#pumping = true;
      this.#handOut().catch(() => {
        // A disk that cannot be read now; the next message or acknowledgement tries again.
        this.#pumping = false;
      });
    }
  }

  say(message: Message): void {
    for (const { connection } of this.#runtimes) {
      void connection.write(lineOf({ seq: 0, ...message }));
    }
  }

  /**
   * Its process left of its own will, and its cursor says that. Handlers run one at a time, so at most one message was
   * begun and not confirmed. It was begun by that very process where the cursor is behind that of its hello.
   */
  finishBegun(cursor: number): void {
    const { spool } = this.#desk;
    if (this.#last !== null && cursor > this.#last.hello.cursor && spool.openOf(this.#last.name).includes(cursor)) {
      this.#acknowledge([cursor]);
    }
  }

  close(): void {
    for (const connection of [...this.#strangers, ...[...this.#runtimes].map((runtime) => runtime.connection)]) {
      connection.end();
    }
  }

  /** Checks the first line; null, and the connection is over, where it is no good hello. */
  #greet(connection: AgentConnection, line: string | null): Runtime | null {
    const hello = line === null ? null : readHello(line);
    if (hello === null || !isSame(hello.token, this.#token)) {
      const reason = 'The hello is not the one of this agent. Use ROLLCALL_ENDPOINT and ROLLCALL_TOKEN as they came.';
      connection.dismiss(lineOf({ refused: 0, reason }));
      return null;
    }
    const runtime = { connection, hello, name: `run ${hello.run}`, highest: 0 };
    this.#strangers.delete(connection);
    this.#add(runtime);
    if (this.#desk.farewell !== null) {
      void connection.write(lineOf({ seq: 0, ...this.#desk.farewell }));
    }
    // The acknowledgements of a process that was killed together with its keeper were read by nobody. Nothing is handed
    // out before the desk knows who listens now: that comes behind what the process had before.
    this.#finish(this.#desk.spool.doneBefore(hello.cursor));
    this.#desk.connectionsChanged('private');
    return runtime;
  }

  /** A process that comes back takes its own place; only its old connection has not noticed yet. */
  #add(runtime: Runtime): void {
    const others = [...this.#runtimes];
    const old = others.find(({ name }) => name === runtime.name);
    this.#runtimes = new Set(
      old === undefined ? [...others, runtime] : others.map((one) => (one === old ? runtime : one)),
    );
    old?.connection.drop();
  }

  #leave(runtime: Runtime | null): void {
    if (runtime !== null && this.#runtimes.delete(runtime)) {
      this.#desk.connectionsChanged('private');
    }
  }

  #hear(runtime: Runtime | null, lines: readonly (string | null)[]): void {
    if (runtime === null || lines.length === 0) {
      return;
    }
    const heard: Heard = { acks: [], sends: [], answers: [] };
    for (const line of lines) {
      this.#hearLine(runtime, line, heard);
    }
    this.#acknowledge(heard.acks);
    this.#desk.receive(runtime.connection, heard.sends, {
      onSafe: () => {
        runtime.connection.reply(heard.answers.map(lineOf).join(''));
      },
      // It sends again what it was not told to be accepted.
      isWanted: () => runtime.connection.isOpen,
    });
  }

  #hearLine(runtime: Runtime, line: string | null, { acks, sends, answers }: Heard): void {
    const value = line === null ? null : readJson(line);
    if (line?.trim() === '') {
      return;
    }
    if (isRecord(value) && typeof value['ack'] === 'number') {
      acks.push(value['ack']);
      return;
    }
    const { run } = runtime.hello;
    const n = numberIn(value) ?? runtime.highest + 1;
    const read = n <= runtime.highest ? again : line === null ? tooLong : readAgentValue(value, this.#desk.source());
    runtime.highest = Math.max(runtime.highest, n);
    if (read.kind === 'message' && !this.#desk.spool.isAccepted(run, n)) {
      sends.push({ ...sendOf(read), run, n });
    }
    answers.push(read.kind === 'error' ? { refused: n, reason: read.reason } : { accepted: n });
  }

  #acknowledge(acks: readonly number[]): void {
    if (this.#finish(acks)) {
      this.pump();
    }
  }

  /** True where some of it was open. */
  #finish(acks: readonly number[]): boolean {
    const found = this.#desk.spool.finish(acks, 'acked');
    if (found.length > 0) {
      // An agent that reads faster than we write has got this much of it.
      this.#tellHanded(Math.max(...found));
      this.#desk.acked(found);
    }
    return found.length > 0;
  }

  async #handOut(): Promise<void> {
    const { spool } = this.#desk;
    for (let { listener } = this; listener !== null; { listener } = this) {
      const mails =
        this.#desk.farewell !== null ? [] : spool.next(Math.max(0, MAX_OPEN - spool.open.size), WRITE_BYTES);
      if (mails.length === 0) {
        break;
      }
      const { connection, hello, name } = listener;
      this.#last = listener;
      const seqs = mails.map(({ seq }) => seq);
      this.#going = seqs;
      this.#repeated = spool.hand(seqs, name, hello.cursor);
      const text = mails.map((mail) => mailLine(mail, this.#repeated, hello.cursor)).join('');
      if (await connection.write(text)) {
        this.#tellHanded(Number.POSITIVE_INFINITY);
      }
    }
    this.#pumping = false;
  }

  #tellHanded(upTo: number): void {
    const seqs = this.#going.filter((seq) => seq <= upTo);
    this.#going = this.#going.filter((seq) => seq > upTo);
    if (seqs.length > 0) {
      this.#desk.handed(
        seqs,
        this.#repeated.filter((seq) => seqs.includes(seq)),
      );
    }
  }
}

interface Heard {
  readonly acks: number[];
  readonly sends: SpooledSend[];
  readonly answers: KeeperLine[];
}

const tooLong = { kind: 'error', reason: tooLongReason } as const;
const again = { kind: 'error', reason: 'The number n of a message must be above that of the one before.' } as const;

/** By its cursor an agent has begun with mail that a spool may know nothing of, because somebody removed it. */
function mailLine({ seq, message }: SpooledMail, repeated: readonly number[], cursor: number): string {
  const isRepeated = repeated.includes(seq) || seq <= cursor;
  return lineOf({ ...message, seq, ...(isRepeated ? { redelivered: true } : {}) });
}

function readHello(line: string): RuntimeHello | null {
  const value = readJson(line);
  const { hello, token, run, cursor } = isRecord(value) ? value : {};
  const isNamed = hello === 1 && typeof token === 'string' && typeof run === 'string' && /^[\w-]{1,64}$/.test(run);
  return isNamed && typeof cursor === 'number' ? { hello, token, run, cursor } : null;
}

function numberIn(value: unknown): number | null {
  const n = isRecord(value) ? value['n'] : null;
  return typeof n === 'number' && Number.isSafeInteger(n) && n > 0 ? n : null;
}

function lineOf(line: KeeperLine): string {
  return `${JSON.stringify(line)}\n`;
}

function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
