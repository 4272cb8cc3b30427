import type { Disposable } from '../../base/disposable';
import { errorText } from '../../base/errorText';
import { fail, ok } from '../../base/result';
import { EventLog } from '../../eventlog/eventLog';
import { sessionLogIn } from '../../eventlog/sessionLog';
import { DerivedFile } from '../../mailbox/derivedFile';
import { ensureSessionDir, type SessionPaths } from '../../mailbox/sessionPaths';
import { agentStatusDocument } from '../../protocol/actors/agentStatusDocument';
import { personName } from '../../protocol/actors/agentName';
import { knownType } from '../../protocol/actors/agentTypes';
import { taskOf } from '../../protocol/actors/answers';
import { inboxItems } from '../../protocol/actors/inboxItems';
import type { SessionEvent } from '../../protocol/actors/sessionEvent';
import type { ItemMoment, SessionMoment } from '../../protocol/actors/sessionMoment';
import { agentNameProblem, unknownAgentText } from '../../protocol/actors/sessionTexts';
import { undeliveredText } from '../../protocol/actors/undeliveredText';
import type { WorkersConfig } from '../../protocol/config/configModel';
import type { Lease } from '../../registry/lease';
import type { WorkerState } from '../../supervisor/workerState';
import type { AgentRequest, Outcome, Refusal, SendRequest, SessionAccepted } from '../api';
import type { CallerEnv, HostContext } from '../hostContext';
import { refusalByFuse } from '../refusalByFuse';
import { Sequence } from './sequence';
import { SessionCrew } from './sessionCrew';
import { SessionJournal } from './sessionJournal';
import { type Draft, MAIL_TTL_MS } from './sessionMail';
import type { SessionOrder } from './sessionOrder';

export interface LedSessionOptions {
  readonly host: HostContext;
  readonly lease: Pick<Lease, 'verify'>;
  readonly config: WorkersConfig;
  readonly paths: SessionPaths;
  readonly epoch: number;
  readonly onChange: () => void;
}

const STATUS_EVERY_MS = 250;
const UNDELIVERED_EVERY_MS = 1_000;
const EXPIRY_EVERY_MS = 30_000;

type OrderOf<K extends SessionOrder['kind']> = Extract<SessionOrder, { readonly kind: K }>;

/** The session of a root under one lease: its log, its agents, its mail and the files that repeat what the log tells. */
export class LedSession implements Disposable {
  readonly #options: LedSessionOptions;
  readonly #journal: SessionJournal;
  readonly #crew: SessionCrew;
  readonly #sequence: Sequence;
  readonly #files: readonly DerivedFile[];
  #config: WorkersConfig;
  #expiry: Disposable | null = null;

  private constructor(options: LedSessionOptions, log: EventLog<SessionEvent, SessionMoment>) {
    const { host, paths, config, epoch, onChange } = options;
    const { clock, logger } = host;
    this.#options = options;
    this.#config = config;
    this.#journal = new SessionJournal({
      log,
      folder: paths.folder,
      batchLines: sessionLogIn(paths.folder).format.batchLines,
      clock,
      logger,
      onWritten: (lines) => {
        lines.forEach((line) => {
          this.#crew.mail.written(line);
        });
        this.#files.forEach((file) => {
          file.touch();
        });
        onChange();
      },
    });
    const onEnd = (agent: string, state: WorkerState['kind']): void => {
      this.#turnsEnded(agent, state);
    };
    const journal = this.#journal;
    this.#crew = new SessionCrew({ host, config, paths, epoch, journal, onChange, onEnd });
    this.#sequence = new Sequence({ host, journal, crew: this.#crew, paths, config: () => this.#config });
    this.#files = [
      new DerivedFile({
        path: paths.statusFile,
        text: () => agentStatusDocument(this.#journal.moment),
        everyMs: STATUS_EVERY_MS,
        clock,
        logger,
      }),
      new DerivedFile({
        path: paths.undeliveredFile,
        text: () => undeliveredText(this.#journal.moment, MAIL_TTL_MS),
        everyMs: UNDELIVERED_EVERY_MS,
        clock,
        logger,
      }),
    ];
  }

  /** Opens the log under this lease. The session folder must be there. Rejects with the system's error. */
  static async open(options: LedSessionOptions): Promise<LedSession> {
    const { host, lease, paths, epoch } = options;
    const place = sessionLogIn(paths.folder);
    const verify = async (): Promise<boolean> => lease.verify(epoch);
    const log = await EventLog.open<SessionEvent, SessionMoment>({ place, epoch, verify, clock: host.clock });
    const { cutBytes, damaged, missing } = log.faults;
    if (cutBytes + damaged + missing > 0) {
      const faults = { cutBytes, damaged, missing };
      host.logger.warn("The session's log was damaged; what can be read of it was kept.", faults);
    }
    return new LedSession(options, log);
  }

  /** Adopts what lives, restarts what was due, and lets mail expire from now on. */
  async begin(): Promise<void> {
    this.#expireLater();
    await this.#crew.adopt();
    await this.#sequence.resume();
  }

  configure(config: WorkersConfig): void {
    this.#config = config;
    this.#crew.configure(config);
  }

  async perform(order: SessionOrder, env: CallerEnv): Promise<Outcome<SessionAccepted>> {
    switch (order.kind) {
      case 'start':
        return await this.#start(order, env);
      case 'stop':
        return await this.#stop(order);
      case 'startAgent':
      case 'listen':
        return await this.#startAgent(order.request, order.kind === 'listen', env);
      case 'stopAgent':
        return await this.#stopAgent(order);
      case 'skipWait':
        return await this.#skipWait(order.request);
      case 'send':
        return await this.#send(draftOf(order.request));
      case 'answer':
        return await this.#answer(order);
      case 'dismiss':
        return await this.#dismiss(order);
      case 'snooze':
        return await this.#snooze(order);
    }
  }

  /** Resolves when what came in is in the log, what can be carried was carried, and the files tell of it. */
  async settle(): Promise<void> {
    await this.#crew.idle();
    await Promise.all(this.#files.map(async (file) => file.flush()));
  }

  /** Lets go of everything; the agents go on. */
  dispose(): void {
    this.#expiry?.dispose();
    this.#sequence.dispose();
    this.#crew.dispose();
    this.#journal.dispose();
    this.#files.forEach((file) => {
      file.dispose();
    });
  }

  async #start({ mode, request }: OrderOf<'start'>, env: CallerEnv): Promise<Outcome<SessionAccepted>> {
    const { host, paths } = this.#options;
    const { session } = this.#journal.moment;
    if (session !== null && session.stoppedAt === null) {
      return accepted('The session goes on.', this.#crew.live());
    }
    if (this.#config.agents.length === 0) {
      return refused('failed', 'No agents are configured. Add them under "agents" in .vscode/workers.json.');
    }
    const blown = await refusalByFuse(host);
    if (blown !== null) {
      return fail(blown);
    }
    const made = await ensureSessionDir(host.root, paths, []);
    if (!made.ok) {
      return refused('failed', made.error);
    }
    const data = { sessionId: host.randomHex(8), mode: mode ?? this.#config.session.mode, by: request.requestedBy };
    const written = await this.#journal.require({ type: 'SessionStarted', data });
    if (!written.ok) {
      return written;
    }
    return data.mode === 'sequential' ? await this.#startTurns() : await this.#startFirst(env);
  }

  async #startTurns(): Promise<Outcome<SessionAccepted>> {
    const first = await this.#sequence.begin();
    return first.ok ? accepted(`The session has started. ${first.value} has the first turn.`, [first.value]) : first;
  }

  #turnsEnded(agent: string, state: WorkerState['kind']): void {
    this.#sequence.ended(agent, state).catch((error: unknown) => {
      this.#options.host.logger.error('a turn was not ended', { agent, reason: errorText(error) });
    });
  }

  /** Those that begin with the session, side by side: one that does not connect holds up nobody. */
  async #startFirst(env: CallerEnv): Promise<Outcome<SessionAccepted>> {
    const first = this.#config.agents.filter(({ start }) => start === 'session').map(({ name }) => name);
    const tried = await Promise.all(
      first.map(async (agent) => ({ agent, problem: await this.#crew.start({ agent, cause: 'session', env }) })),
    );
    const started = tried.filter(({ problem }) => problem === null).map(({ agent }) => agent);
    const troubles = tried.flatMap(({ agent, problem }) =>
      problem === null ? [] : [`${agent} was not started: ${problem.text}`],
    );
    return accepted(['The session has started.', ...firstWords(first, started), ...troubles].join(' '), started);
  }

  async #stop({ force, request }: OrderOf<'stop'>): Promise<Outcome<SessionAccepted>> {
    const by = request.requestedBy;
    const { session, agents } = this.#journal.moment;
    const live = [...this.#crew.live()].reverse();
    const goesOn = session !== null && session.stoppedAt === null;
    if (!goesOn && live.length === 0) {
      return refused('wrong-state', 'No session runs here.');
    }
    this.#sequence.stop();
    // In one write: whoever leads next knows of every stop, and no message starts anybody any more.
    const asked = live.filter((agent) => agents.get(agent)?.stopBy === null);
    this.#journal.note(
      ...(goesOn ? [{ type: 'SessionStopped', data: { by } } as const] : []),
      ...asked.map((agent) => ({ type: 'AgentStopRequested', data: { agent, by } }) as const),
    );
    await Promise.all(live.map(async (agent) => this.#crew.stop(agent, { by, force, told: true })));
    const words = live.length === 0 ? 'The session is over.' : `Stopping ${live.join(', ')}.`;
    return accepted(words, live);
  }

  async #startAgent(
    { agent, requestedBy: by }: AgentRequest,
    byHand: boolean,
    env: CallerEnv,
  ): Promise<Outcome<SessionAccepted>> {
    const known = this.#crew.names();
    const odd = byHand ? agentNameProblem(agent) : null;
    if (odd !== null || (!byHand && !known.includes(agent))) {
      return refused('not-found', odd ?? unknownAgentText(agent, known, 'start'));
    }
    await this.#crew.catchUp(agent);
    if (this.#crew.isLive(agent) && !this.#crew.waits(agent)) {
      return accepted(`${agent} runs already.`, [agent]);
    }
    const blown = await refusalByFuse(this.#options.host);
    if (blown !== null) {
      return fail(blown);
    }
    const problem = await this.#crew.start({ agent, cause: 'person', byHand, by, env });
    if (problem !== null) {
      return refused('spawn-failed', problem.text);
    }
    return accepted(byHand ? `Listening for ${agent}. Start it now.` : `${agent} is starting.`, [agent]);
  }

  async #stopAgent({ force, request }: OrderOf<'stopAgent'>): Promise<Outcome<SessionAccepted>> {
    const { agent, requestedBy } = request;
    await this.#crew.catchUp(agent);
    if (!this.#crew.isLive(agent)) {
      const known = this.#crew.names();
      return known.includes(agent)
        ? refused('wrong-state', `${agent} does not run.`)
        : refused('not-found', unknownAgentText(agent, known, 'stop'));
    }
    await this.#crew.stop(agent, { by: requestedBy, force });
    return accepted(`Stopping ${agent}.`, [agent]);
  }

  async #skipWait({ agent }: AgentRequest): Promise<Outcome<SessionAccepted>> {
    await this.#crew.catchUp(agent);
    const blown = this.#crew.waits(agent) ? await refusalByFuse(this.#options.host) : null;
    if (blown !== null) {
      return fail(blown);
    }
    return (await this.#crew.skipWait(agent))
      ? accepted(`${agent} is starting.`, [agent])
      : refused('wrong-state', `${agent} does not wait for a restart.`);
  }

  async #send(draft: Draft, ...more: readonly SessionEvent[]): Promise<Outcome<SessionAccepted>> {
    const { host, paths } = this.#options;
    const made = await ensureSessionDir(host.root, paths, []);
    if (!made.ok) {
      return refused('failed', made.error);
    }
    const sent = await this.#crew.mail.send(draft, ...more);
    return sent.ok
      ? ok({ message: `${draft.type} is sent to ${draft.to}.`, agents: [draft.to], messageId: sent.value.id })
      : sent;
  }

  async #answer({ item: id, text, request }: OrderOf<'answer'>): Promise<Outcome<SessionAccepted>> {
    const item = this.#journal.moment.items.get(id);
    if (item === undefined || item.kind === 'expired' || item.kind === 'undeliverable') {
      return refused('not-found', `Nothing that can be answered is called ${id}. Look at the inbox again.`);
    }
    const event = { type: 'InboxAnswered', data: { item: id, by: request.requestedBy } } as const;
    return await this.#send(answerTo(item, text), event);
  }

  async #dismiss({ item, request }: OrderOf<'dismiss'>): Promise<Outcome<SessionAccepted>> {
    const event = { type: 'InboxDismissed', data: { item, by: request.requestedBy } } as const;
    return await this.#noteOf(item, event, 'It left the inbox.');
  }

  async #snooze({ item, until, request }: OrderOf<'snooze'>): Promise<Outcome<SessionAccepted>> {
    const data = { item, until: new Date(until).toISOString(), by: request.requestedBy };
    return await this.#noteOf(item, { type: 'InboxSnoozed', data }, 'It is put off.');
  }

  /** Notes what a person made of an item that is there. */
  async #noteOf(item: string, event: SessionEvent, done: string): Promise<Outcome<SessionAccepted>> {
    const items = inboxItems(this.#journal.moment, this.#options.host.clock.now());
    if (!items.some(({ id }) => id === item)) {
      return refused('not-found', `Nothing in the inbox is called ${item}. Look at it again.`);
    }
    const written = await this.#journal.require(event);
    return written.ok ? accepted(done, []) : written;
  }

  #expireLater(): void {
    this.#expiry = this.#options.host.clock.schedule(EXPIRY_EVERY_MS, () => {
      this.#crew.mail.expire();
      this.#expireLater();
    });
  }
}

function firstWords(first: readonly string[], started: readonly string[]): readonly string[] {
  if (first.length === 0) {
    return ['Its agents start with their first task.'];
  }
  return started.length === 0 ? [] : [`Agents: ${started.join(', ')}.`];
}

function draftOf({ to, type, payload, inReplyTo }: SendRequest): Draft {
  const draft = { from: personName, to, type: knownType(type) ?? type, payload };
  return inReplyTo === undefined ? draft : { ...draft, inReplyTo };
}

/** Blocked work goes on as a task that starts its agent again; whoever asked gets a response. */
function answerTo({ kind, message }: ItemMoment, text: string): Draft {
  const task = taskOf(message);
  const common = { from: personName, to: message.from, inReplyTo: message.id };
  if (kind === 'blocked' && task !== null) {
    const payload = { taskId: task, workType: 'continue', title: task, description: text, acceptanceCriteria: [] };
    return { ...common, type: 'WorkAssign', payload };
  }
  return { ...common, type: 'Response', payload: { answer: text } };
}

function accepted(message: string, agents: readonly string[]): Outcome<SessionAccepted> {
  return ok({ message, agents, messageId: null });
}

function refused(code: Refusal['code'], message: string): Outcome<SessionAccepted> {
  return fail<Refusal>({ code, message });
}
