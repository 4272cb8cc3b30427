import { oldestBeyond } from '../../base/oldestBeyond';
import type { EventLine } from '../events/eventLine';
import { type AgentDraft, changeAgent, countIn, newAgent, textIn, textOrNull } from './agentFold';
import { isAgentName } from './agentName';
import { isCall } from './cliInvoke';
import { taskOf } from './answers';
import { clipMessage } from './clipMessage';
import { InboxFold, itemKindOf } from './inboxFold';
import type { Message } from './message';
import { isMessage } from './isMessage';
import { type SentData, sequenceEnds } from './sessionEvent';
import type { MessageStage } from './sessionSnapshot';
import type { CallMoment, MailMoment, RecentMoment, SessionMoment, TurnMoment } from './sessionMoment';

type Data = EventLine['data'];

const ENDED: ReadonlySet<AgentDraft['state']> = new Set([null, 'completed', 'failed', 'stopped', 'unknown']);

const RECENT_KEPT = 20;
const ASKED_KEPT = 100;
const UNACKED_KEPT = 1_000;

/** Of a message that is only shown. */
const RECENT_LETTERS = 2_000;

type MailDraft = { -readonly [K in keyof MailMoment]: MailMoment[K] };

/**
 * Folds the events of a session's log into a moment, one after another, each in a time that does not grow with the log.
 * Lines whose data make no sense, and types of other versions, change nothing but the place in the log. Everything in it
 * is changed in place.
 */
export class SessionFold {
  readonly #agents: Map<string, AgentDraft>;
  readonly #mail: Map<number, MailDraft>;
  readonly #calls: Map<number, CallMoment>;
  readonly #inbox: InboxFold;
  readonly #recent: Map<number, RecentMoment>;
  #seq: number;
  #epoch: number;
  #at: string | null;
  #session: SessionMoment['session'];
  #turn: TurnMoment | null;

  constructor(from: SessionMoment) {
    this.#agents = new Map(
      [...from.agents].map(([name, agent]) => [
        name,
        { ...agent, waiting: new Set(agent.waiting), unacked: new Map(agent.unacked), asked: new Set(agent.asked) },
      ]),
    );
    this.#mail = new Map([...from.mail].map(([seq, mail]) => [seq, { ...mail }]));
    this.#calls = new Map(from.calls);
    this.#inbox = new InboxFold(from.items);
    this.#recent = new Map(from.recent);
    this.#seq = from.seq;
    this.#epoch = from.epoch;
    this.#at = from.at;
    this.#session = from.session;
    this.#turn = from.turn;
  }

  /** The session after the last event. Its maps and sets move on with the fold. */
  get moment(): SessionMoment {
    return {
      seq: this.#seq,
      epoch: this.#epoch,
      at: this.#at,
      session: this.#session,
      turn: this.#turn,
      agents: this.#agents,
      mail: this.#mail,
      calls: this.#calls,
      items: this.#inbox.items,
      recent: this.#recent,
    };
  }

  get seq(): number {
    return this.#seq;
  }

  apply(line: EventLine): void {
    this.#seq = line.seq;
    this.#epoch = line.epoch;
    this.#at = line.timestamp;
    const agent = textIn(line.data, 'agent');
    if (isAgentName(agent)) {
      this.#touch(agent, line);
    }
    this.#change(line, agent);
  }

  #change({ seq, type, data, timestamp }: EventLine, agent: string): void {
    switch (type) {
      case 'SessionStarted':
        this.#begin(data, timestamp);
        return;
      case 'SessionStopped':
        this.#session = this.#session && { ...this.#session, stoppedAt: timestamp };
        return;
      case 'MessageSent':
        if (isSent(data)) {
          this.#send(seq, data, timestamp);
        }
        return;
      case 'MessageDelivered':
        this.#arrive(data, agent, 'delivered');
        return;
      case 'MessageAcked':
        this.#arrive(data, agent, 'acked');
        return;
      case 'MessageExpired':
        this.#lose(data, agent, { kind: 'expired', since: timestamp });
        return;
      case 'MessageUndeliverable':
        this.#lose(data, agent, { kind: 'undeliverable', since: timestamp });
        return;
      case 'InboxAnswered':
      case 'InboxDismissed':
        this.#close(textIn(data, 'item'));
        return;
      case 'InboxSnoozed':
        this.#snooze(textIn(data, 'item'), textIn(data, 'until'));
        return;
      case 'TurnStarted':
        this.#turn = turnIn(data, timestamp) ?? this.#turn;
        return;
      case 'SequenceEnded':
        this.#endTurns(data['status']);
        return;
      default:
      // It changed an agent, or is of another version.
    }
  }

  #begin(data: Data, startedAt: string): void {
    const mode = data['mode'] === 'sequential' ? 'sequential' : 'event-driven';
    this.#session = { id: textIn(data, 'sessionId'), mode, startedAt, stoppedAt: null };
    this.#turn = null;
    for (const agent of this.#agents.values()) {
      // Whoever starts a session wants its agents back, also those that were stopped or given up before.
      agent.held = agent.held && !ENDED.has(agent.state);
    }
  }

  #endTurns(status: unknown): void {
    const end = sequenceEnds.find((known) => known === status);
    this.#turn = this.#turn && end !== undefined ? { ...this.#turn, status: end } : this.#turn;
  }

  /** The agent of that name, at this event. */
  #touch(name: string, line: EventLine): void {
    const agent = this.#agent(name);
    agent.lastEvent = line.seq;
    agent.lastEventAt = line.timestamp;
    changeAgent(agent, line);
  }

  #agent(name: string): AgentDraft {
    const known = this.#agents.get(name) ?? newAgent();
    this.#agents.set(name, known);
    return known;
  }

  #send(seq: number, sent: SentData, sentAt: string): void {
    const { message, recipients, number, starts = [], inbox, call } = sent;
    if (isAgentName(message.from) && number !== null) {
      const sender = this.#agent(message.from);
      sender.taken = Math.max(sender.taken, number);
      sender.lastEvent = seq;
      sender.lastEventAt = sentAt;
      note(sender, message);
    }
    if (isCall(message) && number !== null) {
      this.#calls.set(seq, { message, sentAt });
    }
    if (call !== undefined) {
      this.#calls.delete(call);
    }
    this.#inbox.settle(message, recipients);
    if (recipients.length > 0) {
      this.#mail.set(seq, { message, sentAt, waitingFor: recipients, starts });
    }
    for (const name of recipients) {
      const recipient = this.#agent(name);
      recipient.waiting.add(seq);
      if (message.inReplyTo !== undefined) {
        recipient.asked.delete(message.inReplyTo);
      }
    }
    this.#show(seq, sent, sentAt);
    const kind = inbox === undefined ? null : itemKindOf(message);
    if (kind !== null) {
      const copy = inbox === 'copy';
      this.#inbox.add({ kind, agent: message.from, seq, message, sentAt, since: sentAt, copy, reason: null });
    }
  }

  /** Keeps it among the newest of everybody whom it concerns. */
  #show(seq: number, { message, recipients }: SentData, sentAt: string): void {
    const stages = Object.fromEntries(recipients.map((name) => [name, 'waiting' as const]));
    this.#recent.set(seq, { message: clipMessage(message, RECENT_LETTERS), sentAt, stages });
    for (const name of partiesOf(message.from, recipients)) {
      const agent = this.#agents.get(name);
      if (agent !== undefined) {
        agent.recent = [...agent.recent, seq];
        this.#forget(agent);
      }
    }
    this.#drop(seq);
  }

  #forget(agent: AgentDraft): void {
    const [oldest] = agent.recent;
    if (agent.recent.length > RECENT_KEPT && oldest !== undefined) {
      agent.recent = agent.recent.slice(1);
      this.#drop(oldest);
    }
  }

  /** Lets a shown message go once it is among the newest of nobody. */
  #drop(seq: number): void {
    const shown = this.#recent.get(seq);
    const parties = shown === undefined ? [] : partiesOf(shown.message.from, Object.keys(shown.stages));
    if (!parties.some((name) => this.#agents.get(name)?.recent.includes(seq) === true)) {
      this.#recent.delete(seq);
    }
  }

  #arrive(data: Data, agent: string, stage: MessageStage): void {
    const seq = countIn(data, 'seq') ?? 0;
    this.#mark(seq, agent, stage);
    const mail = this.#takeMail(seq, agent);
    if (stage === 'acked') {
      this.#agents.get(agent)?.unacked.delete(seq);
    } else if (mail !== null) {
      this.#await(seq, agent, mail.message.id);
    }
  }

  /** Whoever leads next must know for what an acknowledgement is still to come, because it may have been told to nobody. */
  #await(seq: number, agent: string, id: string): void {
    const { unacked } = this.#agent(agent);
    unacked.set(seq, id);
    const oldest = oldestBeyond(unacked, UNACKED_KEPT);
    if (oldest !== undefined) {
      unacked.delete(oldest);
    }
  }

  #lose(data: Data, agent: string, how: { readonly kind: 'expired' | 'undeliverable'; readonly since: string }): void {
    const seq = countIn(data, 'seq') ?? 0;
    const mail = this.#takeMail(seq, agent);
    this.#mark(seq, agent, how.kind);
    if (mail !== null) {
      const { message, sentAt } = mail;
      const reason = textOrNull(data, 'reason');
      this.#inbox.add({ ...how, agent, seq, message, sentAt, copy: false, reason });
    }
  }

  #mark(seq: number, agent: string, stage: MessageStage): void {
    const shown = this.#recent.get(seq);
    // An acknowledged message can be told as delivered once more, when a leader meets it again.
    if (shown !== undefined && Object.hasOwn(shown.stages, agent) && shown.stages[agent] !== 'acked') {
      this.#recent.set(seq, { ...shown, stages: { ...shown.stages, [agent]: stage } });
    }
  }

  /** Mail that was on its way to the agent and is no longer; null where there was none. */
  #takeMail(seq: number, agent: string): MailMoment | null {
    const mail = this.#mail.get(seq);
    if (mail === undefined || this.#agents.get(agent)?.waiting.delete(seq) !== true) {
      return null;
    }
    const left = mail.waitingFor.filter((name) => name !== agent);
    mail.waitingFor = left;
    if (left.length === 0) {
      this.#mail.delete(seq);
    }
    return mail;
  }

  #close(item: string): void {
    this.#inbox.remove(item);
    const agent = this.#agentIn(item);
    if (agent !== undefined) {
      agent.dismissed = true;
    }
  }

  #snooze(item: string, until: string): void {
    this.#inbox.snooze(item, until);
    const agent = this.#agentIn(item);
    if (agent !== undefined) {
      agent.snoozedUntil = until;
    }
  }

  /** Whose end an item is about. */
  #agentIn(item: string): AgentDraft | undefined {
    return this.#agents.get(/^agent:([^:]+):/.exec(item)?.[1] ?? '');
  }
}

/** What a message tells of its sender. */
function note(sender: AgentDraft, message: Message): void {
  const { type, payload, id } = message;
  if (type === 'AgentStatus') {
    const { status, currentTask } = payload;
    sender.status = typeof status === 'string' ? status.slice(0, 200) : sender.status;
    sender.currentTask = typeof currentTask === 'string' ? currentTask.slice(0, 500) : taskOf(message);
  }
  if (type === 'Query') {
    sender.asked.add(id);
    const oldest = oldestBeyond(sender.asked, ASKED_KEPT);
    if (oldest !== undefined) {
      sender.asked.delete(oldest);
    }
  }
}

function partiesOf(from: string, recipients: readonly string[]): readonly string[] {
  return recipients.includes(from) ? recipients : [from, ...recipients];
}

function turnIn(data: Data, since: string): TurnMoment | null {
  const agent = textIn(data, 'agent');
  const iteration = countIn(data, 'iteration');
  if (agent === '' || iteration === null) {
    return null;
  }
  const maxIterations = countIn(data, 'maxIterations');
  const from = textOrNull(data, 'from');
  return { since, agent, from, context: textIn(data, 'context'), iteration, maxIterations, status: 'running' };
}

function isSent(data: Data): data is Data & SentData {
  const { message, recipients, number, starts } = data;
  return (
    isMessage(message) &&
    isNames(recipients) &&
    (starts === undefined || isNames(starts)) &&
    (number === null || Number.isSafeInteger(number))
  );
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && isAgentName(name));
}
