import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../../base/disposable';
import { errorText } from '../../base/errorText';
import { fail, type Result } from '../../base/result';
import { type AgentPaths, agentPathsIn, ensureSessionDir, type SessionPaths } from '../../mailbox/sessionPaths';
import { isAgentName, isReservedName } from '../../protocol/actors/agentName';
import type { SessionEvent } from '../../protocol/actors/sessionEvent';
import type { CallMoment } from '../../protocol/actors/sessionMoment';
import type { AgentConfig, WorkersConfig } from '../../protocol/config/configModel';
import type { KeeperSpec } from '../../protocol/keeper/keeperSpec';
import type { MailItem } from '../../protocol/keeper/mail';
import { acceptedIn } from '../../protocol/keeper/spoolLine';
import type { KeeperFacts } from '../../protocol/workerFacts';
import { displayText } from '../../protocol/workers/displayText';
import { readKeeper } from '../../readers/keeperFile';
import { lastLines } from '../../readers/lastLines';
import { connectAgentKeeper } from '../../supervisor/keeperClient';
import { AgentKeeper } from '../../supervisor/agentKeeper';
import type { AgentKeeperDeps, AgentLaunch, AgentMove, StartProblem } from '../../supervisor/agentKeeperDeps';
import { agentPolicy } from '../../supervisor/agentPolicy';
import { launchKeeper } from '../../supervisor/keeperLauncher';
import { takeOverSpec } from '../../supervisor/takeOverSpec';
import { isEnd, type WorkerState } from '../../supervisor/workerState';
import { readBounded } from '../../system/boundedRead';
import type { HostContext } from '../hostContext';
import { refusalByFuse } from '../refusalByFuse';
import { AgentCalls } from './agentCalls';
import { eventsOfMove } from './agentEvents';
import { commonSpec, type LaunchOrder, mailboxOf, planAgentLaunch, rulesOf } from './agentLaunch';
import type { AgentStart } from './agentStart';
import { stateToLead } from './agentStates';
import { HeldStarts } from './heldStarts';
import type { SessionJournal } from './sessionJournal';
import { type MailCrew, SessionMail } from './sessionMail';

export interface SessionCrewOptions {
  readonly host: HostContext;
  readonly config: WorkersConfig;
  readonly paths: SessionPaths;
  readonly epoch: number;
  readonly journal: SessionJournal;
  readonly onChange: () => void;
  /** An agent has ended, and the log tells of it. */
  readonly onEnd: (agent: string, state: WorkerState['kind']) => void;
}

/** Restarts that fell due while nobody led are not fired at once (lifecycle §7), milliseconds between two. */
const STAGGER_MS = 500;
const SPOOL_MAX_BYTES = 256 * 1024 * 1024;
const LINE_LETTERS = 200;
/** The states in which a process is there that was not asked to leave. */
const WAITING: ReadonlySet<WorkerState['kind']> = new Set(['starting', 'running', 'unknown']);

/** How an agent is to be stopped. */
export interface AgentStop {
  readonly by: string;
  readonly force: boolean;
  /** The log was told of it already. */
  readonly told?: boolean;
}

/** The agents of a session in the hands of the process that leads, each on its own, and their mail. */
export class SessionCrew implements MailCrew, Disposable {
  readonly mail: SessionMail;
  readonly #options: SessionCrewOptions;
  readonly #calls: AgentCalls;
  readonly #agents = new Map<string, AgentKeeper>();
  readonly #starts = new Map<string, AgentStart>();
  readonly #held: HeldStarts;
  /** The newest message that started an agent: it starts it once. */
  readonly #startedFor = new Map<string, number>();
  /** Stops that the log was told of beforehand. */
  readonly #told = new Set<string>();
  readonly #starting = new Set<Promise<void>>();
  #config: WorkersConfig;
  #disposed = false;

  constructor(options: SessionCrewOptions) {
    const { host, journal, epoch, paths } = options;
    const { clock, randomHex, logger } = host;
    this.#options = options;
    this.#config = options.config;
    this.mail = new SessionMail({ journal, crew: this, clock, randomHex, logger });
    const again = (start: AgentStart): void => {
      this.#startAgain(start);
    };
    this.#held = new HeldStarts({ clock, logger, again });
    this.#calls = new AgentCalls({
      host,
      epoch,
      sessionDir: paths.folder,
      moment: () => journal.moment,
      launchOf: (agent) => this.#orderOf(agent),
      isWaiting: (agent) => this.isLive(agent) && WAITING.has(this.#agents.get(agent)?.state.kind ?? 'stopped'),
      answer: async (seq, message, end) => this.mail.answerCall(seq, message, end),
    });
  }

  /** The configuration counts from the next start on. */
  configure(config: WorkersConfig): void {
    this.#config = config;
  }

  names(): readonly string[] {
    const listened = [...this.#options.journal.moment.agents].filter(([, { byHand }]) => byHand).map(([name]) => name);
    // One that runs is reached also while the file that names it is being edited.
    const running = [...this.#agents.keys()].filter((name) => this.isLive(name));
    return [...new Set([...this.#config.agents.map(({ name }) => name), ...listened, ...running])];
  }

  /** The agents that run or are about to, the one that was started last at the end. */
  live(): readonly string[] {
    const { agents } = this.#options.journal.moment;
    const startOf = (name: string): string => agents.get(name)?.startedAt ?? '';
    return [...this.#agents.keys()]
      .filter((name) => this.isLive(name))
      .sort((a, b) => startOf(a).localeCompare(startOf(b)));
  }

  isLive(agent: string): boolean {
    const state = this.#agents.get(agent)?.state;
    return state !== undefined && !isEnd(state);
  }

  /** Whether it waits for a restart or for the end of a rate limit: it is live, and has no process. */
  waits(agent: string): boolean {
    const kind = this.#agents.get(agent)?.state.kind;
    return kind === 'backoff' || kind === 'parked';
  }

  /** Takes over what the log and the keepers' records tell, each agent by itself (lifecycle §7). */
  async adopt(): Promise<void> {
    const names = await this.#knownNames();
    await Promise.all(
      names.map(async (name, index) => {
        await this.#adoptOne(name, index * STAGGER_MS).catch((error: unknown) => {
          this.#options.host.logger.error('an agent was not adopted', { agent: name, reason: errorText(error) });
        });
      }),
    );
    this.#calls.begin();
  }

  /** Starts an agent unless it is live; gives why it could not. */
  async start(start: AgentStart): Promise<StartProblem | null> {
    const { agent } = start;
    const made = await ensureSessionDir(this.#options.host.root, this.#options.paths, [agent]);
    if (!made.ok) {
      return { cause: 'config', text: made.error };
    }
    if (!this.isLive(agent) || this.waits(agent)) {
      this.#starts.set(agent, start);
    }
    return await this.#take(agent).start();
  }

  startForMail(agent: string): void {
    const seq = this.mail.owedStart(agent, this.#startedFor.get(agent) ?? 0);
    if (seq !== null && !this.isLive(agent) && !this.#takesTurns()) {
      this.startSoon({ agent, cause: 'message', mail: seq });
    }
  }

  /** Runs or presses on the stop ladder of one agent; also ends its wait for a restart. */
  async stop(agent: string, { by, force, told = false }: AgentStop): Promise<void> {
    if (told) {
      this.#told.add(agent);
    }
    // An existing agent that waits for its answer hears nothing else, no shutdown either.
    const ended = this.#calls.end(agent, `${agent} was asked to stop. Send it again when it runs again.`);
    if (!force) {
      await ended;
    }
    await this.#take(agent).stop(by, force);
    this.#told.delete(agent);
  }

  /** Hears what its keeper has written down already, so that nobody is refused because of an older view. */
  async catchUp(agent: string): Promise<void> {
    await this.#agents.get(agent)?.catchUp();
  }

  async skipWait(agent: string): Promise<boolean> {
    return (await this.#agents.get(agent)?.skipWait()) ?? false;
  }

  async deliver(agent: string, items: readonly MailItem[]): Promise<void> {
    await this.#take(agent).deliver(items);
  }

  carryOut(seq: number, call: CallMoment): void {
    this.#calls.accepted(seq, call);
  }

  async withdraw(agent: string, seqs: readonly number[]): Promise<void> {
    await this.#take(agent).withdraw(seqs);
  }

  async tellTaken(agent: string, upTo: number): Promise<void> {
    await this.#agents.get(agent)?.tellTaken(upTo);
  }

  /** Resolves when the starts and stops that were begun are done, and the mail is where it can be. */
  async idle(): Promise<void> {
    await Promise.all(this.#starting);
    await Promise.all([...this.#agents.values()].map(async (agent) => agent.idle()));
    await this.#calls.idle();
    await this.mail.idle();
  }

  /** Lets go of every keeper and timer; the agents go on. */
  dispose(): void {
    this.#disposed = true;
    this.mail.dispose();
    this.#held.dispose();
    this.#calls.dispose();
    for (const agent of this.#agents.values()) {
      agent.dispose();
    }
    this.#agents.clear();
  }

  /** In a sequential session one agent works at a time, and files say whose turn it is. */
  #takesTurns(): boolean {
    const { session } = this.#options.journal.moment;
    return session !== null && session.mode === 'sequential' && session.stoppedAt === null;
  }

  /** As `start`, in the background: a trouble goes to the log, and a start that a blown fuse forbids is made behind it. */
  startSoon(start: AgentStart): void {
    const starting = this.#startAndTell(start).finally(() => {
      this.#starting.delete(starting);
    });
    this.#starting.add(starting);
  }

  async #startAndTell(start: AgentStart): Promise<void> {
    const { host } = this.#options;
    const { logger } = host;
    try {
      const refusal = await refusalByFuse(host);
      if (refusal !== null) {
        this.#hold(start, refusal.message);
        return;
      }
      this.#held.release(start.agent);
      const problem = this.#isNew(start) ? await this.start(start) : null;
      if (problem !== null) {
        logger.warn(problem.text, { agent: start.agent });
      }
    } catch (error) {
      logger.error('an agent could not be started', { agent: start.agent, reason: errorText(error) });
    }
  }

  #hold(start: AgentStart, reason: string): void {
    if (!this.#disposed) {
      this.#held.hold(start, reason);
    }
  }

  /** Meanwhile its message may be gone, or its turn over. */
  #startAgain(start: AgentStart): void {
    const { turn } = this.#options.journal.moment;
    if (start.cause === 'message') {
      this.startForMail(start.agent);
    } else if (this.#takesTurns() && turn?.status === 'running' && turn.agent === start.agent) {
      this.startSoon(start);
    }
  }

  /** A message starts its agent once. */
  #isNew({ agent, mail }: AgentStart): boolean {
    if (mail === undefined) {
      return true;
    }
    const isNew = mail > (this.#startedFor.get(agent) ?? 0);
    this.#startedFor.set(agent, Math.max(mail, this.#startedFor.get(agent) ?? 0));
    return isNew;
  }

  async #knownNames(): Promise<readonly string[]> {
    const folders = await readdir(this.#options.paths.keepersDir).catch(() => []);
    return [...new Set([...this.#options.journal.moment.agents.keys(), ...folders])].filter(isUsableName);
  }

  async #adoptOne(agent: string, staggerMs: number): Promise<void> {
    await this.#drainSpool(agent);
    await this.#take(agent).adopt(staggerMs);
    this.startForMail(agent);
  }

  #take(agent: string): AgentKeeper {
    const known = this.#agents.get(agent);
    if (known !== undefined) {
      return known;
    }
    const { host, journal, epoch } = this.#options;
    const policy = agentPolicy(rulesOf(this.#orderOf(agent), host));
    const state = stateToLead(journal.moment.agents.get(agent), policy, host.clock.now());
    const made = new AgentKeeper(agent, { state, policy, epoch }, this.#deps());
    this.#agents.set(agent, made);
    return made;
  }

  #deps(): AgentKeeperDeps {
    const { host, journal } = this.#options;
    const { clock, logger, program } = host;
    return {
      clock,
      logger,
      launch: async (spec) => launchKeeper({ ...program, clock, spec }),
      connect: async (target) => connectAgentKeeper({ ...target, clock }),
      mayStart: async () => (await refusalByFuse(host)) === null,
      look: async (agent) => this.#look(agent),
      planLaunch: async (agent) => this.#planLaunch(agent),
      takeOverSpec: async (agent, facts) => Promise.resolve(this.#takeOverSpec(agent, facts)),
      taken: (agent) => journal.moment.agents.get(agent)?.taken ?? 0,
      listener: {
        moved: async (agent, move) => this.#moved(agent, move),
        attached: (agent, state) => {
          this.mail.attached(agent, state);
        },
        detached: (agent) => {
          this.mail.detached(agent);
        },
        accepted: (agent, messages) => {
          this.mail.accepted(agent, messages);
        },
        handed: (agent, seqs, redelivered) => {
          this.mail.handed(agent, seqs, redelivered);
        },
        acked: (agent, seqs) => {
          this.mail.acked(agent, seqs);
        },
        unfit: (agent, seq, reason) => {
          this.mail.unfit(agent, seq, reason);
        },
        connection: (agent, endpoint) => {
          journal.note(
            endpoint === null
              ? { type: 'AgentDisconnected', data: { agent } }
              : { type: 'AgentConnected', data: { agent, endpoint } },
          );
        },
      },
    };
  }

  #pathsOf(agent: string): AgentPaths {
    const paths = agentPathsIn(this.#options.paths, agent);
    if (paths === null) {
      throw new Error(`"${agent}" cannot be an agent's name. Use small letters, digits and -, at most 64.`);
    }
    return paths;
  }

  #orderOf(agent: string): LaunchOrder {
    const { host, epoch, journal } = this.#options;
    const start = this.#starts.get(agent);
    return {
      agent,
      config: this.#configOf(agent),
      byHand: start?.byHand ?? journal.moment.agents.get(agent)?.byHand ?? false,
      mustConnect: !this.#takesTurns(),
      others: this.names(),
      session: this.#config.session,
      paths: this.#pathsOf(agent),
      env: start?.env ?? host.env,
      epoch,
    };
  }

  #configOf(agent: string): AgentConfig | null {
    return this.#config.agents.find(({ name }) => name === agent) ?? null;
  }

  /** A record from before the start that the log tells of is one of an earlier run. */
  async #look(agent: string): Promise<KeeperFacts | null> {
    const { facts } = await readKeeper(this.#pathsOf(agent).folder);
    const startedAt = Date.parse(this.#options.journal.moment.agents.get(agent)?.startedAt ?? '');
    const isOld = facts !== null && facts.keeper !== 'alive' && Date.parse(facts.record.started) < startedAt - 1_000;
    return isOld ? null : facts;
  }

  async #planLaunch(agent: string): Promise<Result<AgentLaunch, StartProblem>> {
    const order = this.#orderOf(agent);
    const planned = await planAgentLaunch(order, this.#options.host);
    const written = await this.#options.journal.require(this.#startEvent(order));
    // From here on it is a restart, unless somebody starts it again.
    this.#starts.set(agent, { ...(this.#starts.get(agent) ?? { agent }), cause: 'restart' });
    return written.ok ? planned : fail({ cause: 'config', text: written.error.message });
  }

  #startEvent({ agent, byHand }: LaunchOrder): SessionEvent {
    const { cause = 'restart', by = 'rollcall' } = this.#starts.get(agent) ?? {};
    return byHand ? { type: 'AgentListening', data: { agent, by } } : { type: 'AgentStarting', data: { agent, cause } };
  }

  #takeOverSpec(agent: string, { record }: KeeperFacts): KeeperSpec {
    const { host } = this.#options;
    const order = this.#orderOf(agent);
    const common = commonSpec(order, host);
    const mailbox = mailboxOf(order, record.nonce, host);
    return { ...takeOverSpec(record, { ...common, secrets: [mailbox.token] }), mailbox };
  }

  async #moved(agent: string, move: AgentMove): Promise<void> {
    const { journal, onChange } = this.#options;
    const ended = isEnd(move.to) || move.to.kind === 'backoff' || move.to.kind === 'parked';
    const known = journal.moment.agents.get(agent);
    const lastLine = ended ? await this.#lastLine(agent) : '';
    const events = eventsOfMove(agent, move, { lastLine, sameEnd: known?.sameEnd ?? null });
    // A stop that goes on under a new leader, or of the whole session, was written down before.
    const isTold = this.#told.has(agent) || (known !== undefined && known.stopBy !== null);
    journal.note(...events.filter(({ type }) => type !== 'AgentStopRequested' || !isTold));
    onChange();
    if (ended && move.from.kind !== move.to.kind) {
      await this.#drainSpool(agent);
      void this.#calls.end(agent, `${agent} has ended meanwhile. Send it again from its next run.`);
      void this.#afterEnd(agent);
    }
  }

  /** Mail that came too late for the run that ended starts the next one, where it may. */
  async #afterEnd(agent: string): Promise<void> {
    await this.#options.journal.idle();
    const state = this.#agents.get(agent)?.state.kind;
    if (state !== undefined && !this.#disposed) {
      this.#options.onEnd(agent, state);
    }
    if (state === 'completed' && !this.#disposed) {
      this.startForMail(agent);
    }
  }

  async #lastLine(agent: string): Promise<string> {
    const lines = await lastLines(this.#pathsOf(agent).logFile, 1).catch(() => []);
    return displayText(lines.at(-1) ?? '').slice(0, LINE_LETTERS);
  }

  /** What a keeper accepted and could not tell any more, because it ended while nobody listened. */
  async #drainSpool(agent: string): Promise<void> {
    const { journal } = this.#options;
    const { facts } = await readKeeper(this.#pathsOf(agent).folder);
    if (facts?.keeper === 'alive') {
      return;
    }
    const spool = await readBounded(join(this.#pathsOf(agent).folder, 'spool.jsonl'), SPOOL_MAX_BYTES);
    if (spool.kind === 'ok') {
      this.mail.accepted(agent, acceptedIn(spool.text, journal.moment.agents.get(agent)?.taken ?? 0));
    }
  }
}

function isUsableName(name: string): boolean {
  return isAgentName(name) && !isReservedName(name);
}
