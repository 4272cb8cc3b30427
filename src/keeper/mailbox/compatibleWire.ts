import type { Socket } from 'node:net';
import { oldestBeyond } from '../../core/base/oldestBeyond';
import { expectsAnswer, isAnsweredBy, taskOf } from '../../core/protocol/actors/answers';
import { existingAgentLine } from '../../core/protocol/actors/existingAgentLine';
import { isCall, isCallAnswer } from '../../core/protocol/actors/cliInvoke';
import type { Message } from '../../core/protocol/actors/message';
import { readAgentLine, tooLongReason } from '../../core/protocol/actors/readAgentLine';
import type { MailItem } from '../../core/protocol/keeper/mail';
import type { SpooledSend } from '../../core/protocol/keeper/spoolLine';
import { AgentConnection, MAX_CONNECTIONS } from './agentConnection';
import { CallWait } from './callWait';
import type { MailDesk, Wire } from './mailDesk';
import { sendOf } from './sendOf';

/** A connection that says nothing is an agent that listens once it is this old, milliseconds. */
const SETTLED_MS = 500;
/** So many questions are kept to recognise their answers. */
const MAX_QUESTIONS = 1000;
/** So many faulty lines of a connection are answered and told in the log. */
const MAX_FAULTS = 20;

interface Caller {
  readonly connection: AgentConnection;
  /** Of the process; known once it listens. */
  name: string;
  /** It said something, or stayed: what connects only to see who answers does neither. */
  isAgent: boolean;
  /** It is the agent's own connection, not that of a helper which sends one message and leaves. */
  isSettled: boolean;
  faults: number;
}

const tooLong = { kind: 'error', reason: tooLongReason } as const;

export interface CompatibleWireOptions {
  readonly desk: MailDesk;
  /** A name for the agent's process, another one with each keeper. */
  readonly process: string;
  /** Each connection is a process, because nobody knows who starts the agent. */
  readonly isByHand: boolean;
  /** Makes a message of the supervisor's own. */
  readonly notice: (payload: Message['payload']) => Message;
}

/**
 * The endpoint of existing agents (actors.md §2): padded lines, each one write. They acknowledge nothing, so mail goes
 * once to each process, and what it did not answer goes to the next one.
 */
export class CompatibleWire implements Wire {
  readonly #options: CompatibleWireOptions;
  readonly #desk: MailDesk;
  /** Oldest first; mail goes to the first settled one. */
  readonly #callers = new Set<Caller>();
  readonly #questions = new Map<number, Message>();
  readonly #call: CallWait;
  #listener: Caller | null = null;
  #processes = 0;
  #pumping = false;

  constructor(options: CompatibleWireOptions) {
    this.#options = options;
    this.#desk = options.desk;
    this.#call = new CallWait(options.desk.clock, () => {
      this.pump();
    });
  }

  get isConnected(): boolean {
    return [...this.#callers].some(({ isAgent }) => isAgent);
  }

  get isOpen(): boolean {
    return this.#callers.size > 0;
  }

  get listener(): Caller | null {
    return this.#listener;
  }

  /** Takes a new connection. */
  accept(socket: Socket): void {
    if (this.#callers.size >= MAX_CONNECTIONS) {
      socket.destroy();
      return;
    }
    const connection = new AgentConnection(socket, {
      onLines: (lines) => {
        this.#hear(caller, lines);
      },
      onClose: () => {
        timer.dispose();
        this.#callers.delete(caller);
        this.#choose();
      },
    });
    const caller: Caller = { connection, name: '', isAgent: false, isSettled: false, faults: 0 };
    this.#callers.add(caller);
    const timer = this.#desk.clock.schedule(SETTLED_MS, () => {
      this.#settle(caller);
    });
  }

  pump(): void {
    if (!this.#pumping) {
      this.#pumping = true;
      this.#handOut().catch(() => {
        // A disk that cannot be read now; the next message tries again.
        this.#pumping = false;
      });
    }
  }

  say(message: Message): void {
    for (const { connection } of this.#callers) {
      send(connection, message);
    }
  }

  close(): void {
    this.#call.end();
    for (const { connection } of this.#callers) {
      connection.end();
    }
  }

  #settle(caller: Caller): void {
    if (!caller.isSettled) {
      caller.isAgent = true;
      caller.isSettled = true;
      if (this.#desk.farewell !== null) {
        send(caller.connection, this.#desk.farewell);
      }
      this.#choose();
    }
  }

  #choose(): void {
    const listener = [...this.#callers].find(({ isSettled }) => isSettled) ?? null;
    if (listener !== null && listener !== this.#listener) {
      const { process, isByHand } = this.#options;
      this.#processes += 1;
      listener.name = isByHand ? `${process} ${this.#processes}` : process;
    }
    if (this.#listener !== null && listener !== this.#listener) {
      this.#call.end();
    }
    this.#listener = listener;
    this.#desk.connectionsChanged('compatible');
  }

  #hear(caller: Caller, lines: readonly (string | null)[]): void {
    const sends = lines.flatMap((line) => this.#read(caller, line));
    if (sends.length === 0) {
      return;
    }
    caller.isAgent = true;
    if (sends.some(({ from }) => isCall(from))) {
      this.#call.begin();
    }
    this.#desk.receive(caller.connection, sends, {
      onSafe: () => {
        this.#noteAnswers(sends);
      },
      isWanted: () => true,
    });
    if (sends.some(({ from }) => from.type === 'AgentStatus')) {
      this.#settle(caller);
    } else {
      this.#desk.connectionsChanged('compatible');
    }
  }

  #read(caller: Caller, line: string | null): readonly SpooledSend[] {
    const read = line === null ? tooLong : readAgentLine(line, this.#desk.source());
    if (read.kind === 'error') {
      this.#refuse(caller, read.reason);
    }
    return read.kind === 'message' ? [sendOf(read)] : [];
  }

  /** A broken agent may send such lines for ever, and read nothing. */
  #refuse(caller: Caller, reason: string): void {
    caller.faults += 1;
    if (caller.faults <= MAX_FAULTS) {
      this.#desk.note(`A line of the agent was not taken: ${reason}`);
      send(caller.connection, this.#options.notice({ systemEvent: 'error', message: reason }));
    }
  }

  #noteAnswers(sends: readonly SpooledSend[]): void {
    for (const { from: reply } of sends.filter(({ from }) => from.inReplyTo !== undefined || taskOf(from) !== null)) {
      const answered = [...this.#questions].flatMap(([seq, question]) => (isAnsweredBy(question, reply) ? [seq] : []));
      this.#end(answered, 'acked');
    }
  }

  #end(seqs: readonly number[], end: 'acked' | 'done'): void {
    for (const seq of seqs) {
      this.#questions.delete(seq);
    }
    const found = this.#desk.spool.finish(seqs, end);
    if (end === 'acked' && found.length > 0) {
      this.#desk.acked(found);
    }
  }

  async #handOut(): Promise<void> {
    for (let listener = this.#listener; listener !== null; listener = this.#listener) {
      const [mail] = this.#next();
      if (mail === undefined) {
        break;
      }
      await this.#handOne(listener, mail);
    }
    this.#pumping = false;
  }

  #next(): readonly MailItem[] {
    if (this.#desk.farewell !== null) {
      return [];
    }
    return this.#call.isOpen ? this.#desk.spool.nextAnswer() : this.#desk.spool.next(1);
  }

  async #handOne({ connection, name }: Caller, { seq, message }: MailItem): Promise<void> {
    const line = existingAgentLine(message);
    if (!line.ok) {
      this.#desk.spool.setAside(seq);
      this.#desk.unfit(seq, line.error);
      return;
    }
    if (expectsAnswer(message)) {
      this.#ask(seq, message);
    }
    const repeated = this.#desk.spool.hand([seq], name);
    if (await connection.writePieces(line.value)) {
      this.#desk.handed([seq], repeated);
      if (isCallAnswer(message)) {
        this.#call.end();
      }
      this.#end(expectsAnswer(message) ? [] : [seq], 'done');
    }
  }

  /** Keeps what is needed to recognise the answer. */
  #ask(seq: number, { payload, ...message }: Message): void {
    this.#questions.set(seq, { ...message, payload: { taskId: payload['taskId'] } });
    const oldest = oldestBeyond(this.#questions, MAX_QUESTIONS);
    if (oldest !== undefined) {
      this.#end([oldest], 'done');
    }
  }
}

function send(connection: AgentConnection, message: Message): void {
  const line = existingAgentLine(message);
  if (line.ok) {
    void connection.writePieces(line.value);
  }
}
