import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/disposable';
import { errorText } from '../../base/errorText';
import type { Logger } from '../../base/logger';
import type { RandomHex } from '../../base/randomId';
import { RecentMap } from '../../base/recentMap';
import { fail, ok } from '../../base/result';
import { Courier } from '../../mailbox/courier';
import { isAgentName, supervisorName } from '../../protocol/actors/agentName';
import type { CallEnd } from '../../protocol/actors/callEnd';
import { cliCompletePayload, isCall } from '../../protocol/actors/cliInvoke';
import type { Message } from '../../protocol/actors/message';
import { newMessageId } from '../../protocol/actors/messageId';
import { type Route, routeMessage, type RoutingTable } from '../../protocol/actors/routing';
import type { SentData, SessionEvent } from '../../protocol/actors/sessionEvent';
import type { CallMoment } from '../../protocol/actors/sessionMoment';
import type { EventLine } from '../../protocol/events/eventLine';
import type { AcceptedMessage, MailItem, MailState } from '../../protocol/keeper/mail';
import type { Outcome, Refusal } from '../api';
import type { SessionJournal } from './sessionJournal';

/** What mail needs of those who carry it to keepers. */
export interface MailCrew {
  /** Agents of the configuration, and those that are listened for. */
  names(): readonly string[];
  deliver(agent: string, items: readonly MailItem[]): Promise<void>;
  withdraw(agent: string, seqs: readonly number[]): Promise<void>;
  tellTaken(agent: string, upTo: number): Promise<void>;
  /** Whether a process of it is there or coming. */
  isLive(agent: string): boolean;
  /** Starts it because of mail, unless it is live. */
  startForMail(agent: string): void;
  /** Carries out what an agent has the supervisor run; answered by `answerCall`. */
  carryOut(seq: number, call: CallMoment): void;
}

export interface SessionMailOptions {
  readonly journal: SessionJournal;
  readonly crew: MailCrew;
  readonly clock: Clock;
  readonly randomHex: RandomHex;
  readonly logger: Logger;
}

/** How long mail waits for an agent that does not run (actors.md §5), milliseconds. */
export const MAIL_TTL_MS = 60 * 60 * 1000;
const INTAKE_ITEMS = 256;
/** A keeper may forget what the log has: that is told for many messages at once, milliseconds. */
const TAKEN_MS = 20;
const REMEMBERED_IDS = 20_000;

type Note = 'MessageDelivered' | 'MessageAcked';

/** What the person or the supervisor sends. */
export type Draft = Pick<Message, 'to' | 'type' | 'payload'> & { readonly from: string; readonly inReplyTo?: string };

/**
 * The mail of a session in the hands of the process that leads: every message is in the log before it is carried
 * anywhere, and only then its sender's keeper may forget it (actors.md §5).
 */
export class SessionMail {
  readonly #options: SessionMailOptions;
  readonly #courier: Courier;
  #intake: { readonly agent: string; readonly accepted: AcceptedMessage }[] = [];
  #taking: Promise<void> | null = null;
  /** The highest number of each sender that is in the log or on its way there. */
  readonly #seen = new Map<string, number>();
  /** What keepers are not told of yet: the highest number of each sender that is in the log. */
  readonly #untold = new Map<string, number>();
  #tellSoon: Disposable | null = null;
  /** Ids of messages on their way, by number; the log names both. */
  readonly #ids = new RecentMap<number, string>(REMEMBERED_IDS);
  /** Arrivals and acknowledgements that were noted and may not be in the log yet. */
  readonly #noted = new Set<string>();
  #closed = false;

  constructor(options: SessionMailOptions) {
    const { crew, clock, logger } = options;
    this.#options = options;
    this.#courier = new Courier({
      clock,
      logger,
      deliver: async (agent, items) => crew.deliver(agent, items),
    });
  }

  /** A keeper has these safe in its spool. */
  accepted(agent: string, messages: readonly AcceptedMessage[]): void {
    this.#intake.push(...messages.map((accepted) => ({ agent, accepted })));
    this.#wake();
  }

  /** Writes a message of the person down, with whatever belongs to it; gives it, or why nobody would get it. */
  async send(draft: Draft, ...more: readonly SessionEvent[]): Promise<Outcome<Message>> {
    const message = this.#messageOf(draft);
    const route = routeMessage(message, this.#table());
    if (route.refusal !== null) {
      return fail<Refusal>({ code: 'not-found', message: route.refusal });
    }
    const written = await this.#options.journal.require(sentEvent(message, { number: null }, route), ...more);
    return written.ok ? ok(message) : written;
  }

  /** Writes down how the call with this number ended, unless the log has its answer. */
  async answerCall(seq: number, { from, id }: Message, { exitCode, error }: CallEnd): Promise<void> {
    const { journal, clock } = this.#options;
    if (journal.moment.calls.has(seq)) {
      const payload = cliCompletePayload(from, exitCode, error, clock.now());
      await journal.add([this.#ours({ to: from, type: 'CLIComplete', payload, inReplyTo: id }, seq)]);
    }
  }

  /** Lines that are in the log by now: mail is carried from here, and from nowhere else. */
  written({ seq, type, data, timestamp }: EventLine): void {
    if (type === 'MessageSent') {
      const { message, recipients, starts = [], number } = data as unknown as SentData;
      this.#ids.set(seq, message.id);
      if (isCall(message) && number !== null) {
        this.#options.crew.carryOut(seq, { message, sentAt: timestamp });
      }
      for (const agent of recipients) {
        this.#courier.push(agent, { seq, message });
      }
      for (const agent of starts) {
        this.#options.crew.startForMail(agent);
      }
    } else if (type === 'MessageDelivered' || type === 'MessageAcked') {
      this.#noted.delete(noteOf(type, String(data['agent']), Number(data['seq'])));
    }
  }

  /** The line to an agent's keeper stands: what its spool knows is written down, and what it lacks is carried. */
  attached(agent: string, { handed, acked, waiting }: MailState): void {
    const { waiting: owed = new Set<number>(), unacked = new Map<number, string>() } =
      this.#options.journal.moment.agents.get(agent) ?? {};
    this.handed(
      agent,
      [...handed, ...acked].filter((seq) => owed.has(seq)),
      [],
    );
    this.acked(
      agent,
      acked.filter((seq) => owed.has(seq) || unacked.has(seq)),
    );
    const known = new Set([...handed, ...acked, ...waiting]);
    this.#courier.open(agent, this.#mailOf([...owed].filter((seq) => !known.has(seq))));
    const stale = waiting.filter((seq) => !owed.has(seq));
    if (stale.length > 0) {
      this.#withdraw(agent, stale);
    }
  }

  detached(agent: string): void {
    this.#courier.close(agent);
  }

  /** The agent's connection took these. */
  handed(agent: string, seqs: readonly number[], redelivered: readonly number[]): void {
    const again = new Set(redelivered);
    const fresh = seqs.filter((seq) => again.has(seq) || this.#isNew('MessageDelivered', agent, seq));
    this.#options.journal.noteSoon(
      fresh.map((seq): SessionEvent => {
        const data = { id: this.#idOf(agent, seq), seq, agent };
        return { type: 'MessageDelivered', data: again.has(seq) ? { ...data, redelivered: true } : data };
      }),
    );
  }

  /** Confirmed by its runtime, or answered. */
  acked(agent: string, seqs: readonly number[]): void {
    const fresh = seqs.filter((seq) => this.#isNew('MessageAcked', agent, seq));
    this.#options.journal.noteSoon(
      fresh.map((seq): SessionEvent => ({ type: 'MessageAcked', data: { id: this.#idOf(agent, seq), seq, agent } })),
    );
  }

  /** It cannot go to this agent as it listens: shown, and its sender is told (actors.md §2). */
  unfit(agent: string, seq: number, reason: string): void {
    const message = this.#options.journal.moment.mail.get(seq)?.message;
    this.#options.journal.note(
      { type: 'MessageUndeliverable', data: { id: this.#idOf(agent, seq), seq, agent, reason } },
      ...(message === undefined ? [] : this.#complaint(message, reason)),
    );
    this.#withdraw(agent, [seq]);
  }

  /** Lets mail go whose time is over and whose recipient does not run. */
  expire(): void {
    const { journal, crew, clock } = this.#options;
    const limit = clock.now() - MAIL_TTL_MS;
    for (const [seq, { message, sentAt, waitingFor }] of journal.moment.mail) {
      if (Date.parse(sentAt) > limit) {
        return;
      }
      for (const agent of waitingFor.filter((name) => !crew.isLive(name))) {
        journal.note({ type: 'MessageExpired', data: { id: message.id, seq, agent } });
        this.#courier.forget(agent, new Set([seq]));
      }
    }
  }

  /** Whether mail waits for this agent that starts it, newer than the message `after`; its number, or null. */
  owedStart(agent: string, after: number): number | null {
    const { agents, mail } = this.#options.journal.moment;
    const known = agents.get(agent);
    const waiting = known === undefined || known.held ? [] : [...known.waiting];
    return waiting.find((seq) => seq > after && mail.get(seq)?.starts.includes(agent) === true) ?? null;
  }

  /** Resolves when everything that came in is in the log, and what can be carried was carried. */
  async idle(): Promise<void> {
    await this.#taking;
    await this.#tellTaken();
    await this.#options.journal.idle();
    await this.#courier.idle();
  }

  dispose(): void {
    this.#closed = true;
    this.#tellSoon?.dispose();
    this.#courier.dispose();
  }

  #wake(): void {
    if (this.#taking === null && this.#intake.length > 0 && !this.#closed) {
      this.#taking = this.#take().finally(() => {
        this.#taking = null;
        this.#wake();
      });
    }
  }

  async #take(): Promise<void> {
    const batch = this.#intake.splice(0, INTAKE_ITEMS);
    const upTo = new Map<string, number>();
    const table = this.#table();
    const events = batch.flatMap(({ agent, accepted }) => {
      upTo.set(agent, Math.max(upTo.get(agent) ?? 0, accepted.number));
      return this.#eventsOf(agent, accepted, table);
    });
    if ((await this.#options.journal.add(events)) && !this.#closed) {
      upTo.forEach((number, agent) => this.#untold.set(agent, number));
      this.#tellSoon ??= this.#options.clock.schedule(TAKEN_MS, () => void this.#tellTaken());
    }
  }

  async #tellTaken(): Promise<void> {
    this.#tellSoon?.dispose();
    this.#tellSoon = null;
    const untold = [...this.#untold];
    this.#untold.clear();
    await Promise.all(untold.map(async ([agent, number]) => this.#options.crew.tellTaken(agent, number)));
  }

  /** A message that the log has already, because its keeper was not told of it before a crash, gives none. */
  #eventsOf(agent: string, accepted: AcceptedMessage, table: RoutingTable): readonly SessionEvent[] {
    const { number, message } = accepted;
    const { moment } = this.#options.journal;
    if (number <= Math.max(this.#seen.get(agent) ?? 0, moment.agents.get(agent)?.taken ?? 0)) {
      return [];
    }
    this.#seen.set(agent, number);
    const route = routeMessage(message, table);
    const sent = sentEvent(message, accepted, route);
    if (route.refusal !== null) {
      return [sent, ...this.#complaint(message, route.refusal)];
    }
    return [sent];
  }

  #table(): RoutingTable {
    return { agents: this.#options.crew.names(), moment: this.#options.journal.moment };
  }

  #messageOf({ from, to, type, payload, inReplyTo }: Draft): Message {
    const now = this.#options.clock.now();
    const message = {
      id: newMessageId(now, this.#options.randomHex),
      type,
      from,
      to,
      timestamp: new Date(now).toISOString(),
      payload,
    };
    return inReplyTo === undefined ? message : { ...message, inReplyTo };
  }

  /** What the supervisor tells a sender whose message nobody gets. */
  #complaint({ from, id }: Message, text: string): readonly SessionEvent[] {
    return isAgentName(from) && this.#options.crew.names().includes(from)
      ? [this.#ours({ to: from, type: 'System', payload: { systemEvent: 'error', message: text }, inReplyTo: id })]
      : [];
  }

  #ours(draft: Omit<Draft, 'from'>, call?: number): SessionEvent {
    const message = this.#messageOf({ ...draft, from: supervisorName });
    const numbers = { number: null, ...(call === undefined ? {} : { call }) };
    return sentEvent(message, numbers, routeMessage(message, this.#table()));
  }

  #mailOf(seqs: readonly number[]): readonly MailItem[] {
    const { mail } = this.#options.journal.moment;
    return seqs.flatMap((seq) => {
      const message = mail.get(seq)?.message;
      return message === undefined ? [] : [{ seq, message }];
    });
  }

  #withdraw(agent: string, seqs: readonly number[]): void {
    this.#courier.forget(agent, new Set(seqs));
    this.#options.crew.withdraw(agent, seqs).catch((error: unknown) => {
      this.#options.logger.debug('mail was not taken back', { agent, reason: errorText(error) });
    });
  }

  #isNew(type: Note, agent: string, seq: number): boolean {
    const { waiting, unacked } = this.#options.journal.moment.agents.get(agent) ?? {};
    // A process that only connected anew gets once more what it did not confirm: that is no second arrival.
    const isOpen = waiting?.has(seq) === true || (type === 'MessageAcked' && unacked?.has(seq) === true);
    const { size } = this.#noted;
    return isOpen && this.#noted.add(noteOf(type, agent, seq)).size > size;
  }

  #idOf(agent: string, seq: number): string {
    const { mail, agents } = this.#options.journal.moment;
    return this.#ids.get(seq) ?? mail.get(seq)?.message.id ?? agents.get(agent)?.unacked.get(seq) ?? '';
  }
}

function noteOf(type: Note, agent: string, seq: number): string {
  return `${type} ${agent} ${String(seq)}`;
}

/** The line that makes a message part of the session. */
function sentEvent(
  message: Message,
  { number, claimedFrom, warnings, call }: Pick<SentData, 'number' | 'claimedFrom' | 'warnings' | 'call'>,
  { recipients, starts, inbox }: Route,
): SessionEvent {
  return {
    type: 'MessageSent',
    data: {
      message,
      recipients,
      number,
      ...(starts.length === 0 ? {} : { starts }),
      ...(inbox === null ? {} : { inbox }),
      ...(claimedFrom === undefined ? {} : { claimedFrom }),
      ...(warnings === undefined ? {} : { warnings }),
      ...(call === undefined ? {} : { call }),
    },
  };
}
