import { lstat } from 'node:fs/promises';
import type { Disposable } from '../../base/disposable';
import { errorText } from '../../base/errorText';
import { SerialQueue } from '../../base/serialQueue';
import { HandoffFiles } from '../../mailbox/handoffFiles';
import { agentPathsIn, type SessionPaths } from '../../mailbox/sessionPaths';
import { personName, supervisorName } from '../../protocol/actors/agentName';
import type { Handoff } from '../../protocol/actors/handoffDocuments';
import { type HandoffSignal, signalInOutput } from '../../protocol/actors/handoffSignal';
import { type NextTurn, nextTurn } from '../../protocol/actors/nextTurn';
import type { SequenceEnd } from '../../protocol/actors/sessionEvent';
import type { TurnMoment } from '../../protocol/actors/sessionMoment';
import type { WorkersConfig } from '../../protocol/config/configModel';
import { lastLines } from '../../readers/lastLines';
import type { WorkerState } from '../../supervisor/workerState';
import type { Outcome } from '../api';
import type { HostContext } from '../hostContext';
import type { SessionCrew } from './sessionCrew';
import type { SessionJournal } from './sessionJournal';

export interface SequenceOptions {
  readonly host: HostContext;
  readonly journal: SessionJournal;
  readonly crew: SessionCrew;
  readonly paths: SessionPaths;
  readonly config: () => WorkersConfig;
}

/** How a sequence is over beside those that `nextTurn` knows. */
type Ending = { readonly kind: 'failed'; readonly trouble: string | null } | { readonly kind: 'stopped' };

/** How often a running turn is asked whether it is over, milliseconds. */
const LOOK_MS = 500;
const OUTPUT_LINES = 500;
const OURSELVES = 'rollcall';

/**
 * The turns of a sequential session: one agent at a time, which hands over by a file or by what it prints (actors.md §7).
 * What was decided is in the log before anybody is started, so that a new leader goes on where the old one was.
 */
export class Sequence implements Disposable {
  readonly #options: SequenceOptions;
  readonly #files: HandoffFiles;
  readonly #steps = new SerialQueue();
  #looking: Disposable | null = null;
  /** How long the log of the agent was when its turn began; what stands before is of other turns. */
  #logBytes = 0;
  #disposed = false;

  constructor(options: SequenceOptions) {
    this.#options = options;
    this.#files = new HandoffFiles(options.paths.folder, options.config().session.dir);
  }

  /** Gives the first turn to the first agent that begins with the session, or the first of all. */
  async begin(): Promise<Outcome<string>> {
    const { agents, session } = this.#options.config();
    const first = (agents.find(({ start }) => start === 'session') ?? agents[0])?.name ?? '';
    const { maxIterations } = session;
    const turn = { agent: first, from: null, context: '', iteration: 1, maxIterations };
    return await this.#steps.run(async () => this.#start(turn, 'start'));
  }

  /** Goes on with the turn that the log names, whatever became of its agent meanwhile. */
  async resume(): Promise<void> {
    const turn = this.#turn();
    if (turn === null) {
      return;
    }
    const { crew, journal } = this.#options;
    const { state = null, startedAt = null } = journal.moment.agents.get(turn.agent) ?? {};
    if (crew.isLive(turn.agent)) {
      this.#lookLater();
    } else if (state === null || startedAt === null || startedAt < turn.since) {
      // The one before died between its decision and the start.
      crew.startSoon({ agent: turn.agent, cause: 'turn' });
      this.#lookLater();
    } else {
      await this.ended(turn.agent, state);
    }
  }

  /** An agent has ended. A crash that is followed by a restart ends no turn. */
  async ended(agent: string, state: WorkerState['kind']): Promise<void> {
    await this.#steps.run(async () => {
      const turn = this.#turn();
      if (turn?.agent !== agent || this.#disposed || this.#options.crew.isLive(agent)) {
        return;
      }
      this.#looking?.dispose();
      await this.#finish(turn, state);
    });
  }

  /** The session was stopped. */
  stop(): void {
    this.#looking?.dispose();
    if (this.#turn() !== null) {
      this.#options.journal.note({ type: 'SequenceEnded', data: { status: 'stopped' } });
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#looking?.dispose();
  }

  /** The turn that goes on, or null. */
  #turn(): TurnMoment | null {
    const { turn, session } = this.#options.journal.moment;
    const goesOn = session !== null && session.mode === 'sequential' && session.stoppedAt === null;
    return goesOn && turn?.status === 'running' ? turn : null;
  }

  async #start(turn: Omit<TurnMoment, 'status' | 'since'>, reason: string): Promise<Outcome<string>> {
    const { journal, crew, paths } = this.#options;
    const written = await journal.require({ type: 'TurnStarted', data: { ...turn, reason } });
    if (!written.ok) {
      return written;
    }
    await this.#files.dropSignal();
    await this.#writeFiles({ ...turn, status: 'running' }, reason);
    const logFile = agentPathsIn(paths, turn.agent)?.logFile ?? '';
    this.#logBytes = (await lstat(logFile).catch(() => null))?.size ?? 0;
    crew.startSoon({ agent: turn.agent, cause: 'turn' });
    this.#lookLater();
    return { ok: true, value: turn.agent };
  }

  async #writeFiles(turn: Omit<TurnMoment, 'since'>, reason: string): Promise<void> {
    const { journal, host } = this.#options;
    const { session } = journal.moment;
    const timestamp = new Date(host.clock.now()).toISOString();
    const { from, agent: to, context } = turn;
    const handoff: Handoff = { from, to, context, reason, timestamp };
    const state = { sessionId: session?.id ?? '', startedAt: session?.startedAt ?? timestamp, turn };
    await (turn.status === 'running' ? this.#files.write(handoff, state) : this.#files.writeState(state)).catch(
      (error: unknown) => {
        // The turn itself is in the log; an agent without its context tells the person so.
        host.logger.warn('the files of a hand-over could not be written', { reason: errorText(error) });
      },
    );
  }

  #lookLater(): void {
    this.#looking?.dispose();
    this.#looking = this.#options.host.clock.schedule(LOOK_MS, () => {
      void this.#steps.run(async () => this.#look());
    });
  }

  /** An agent that has handed over and stays is asked to leave. */
  async #look(): Promise<void> {
    const turn = this.#turn();
    const { crew, host } = this.#options;
    if (turn === null || this.#disposed) {
      return;
    }
    if (crew.isLive(turn.agent) && (await this.#wantsToEnd(turn))) {
      await crew.stop(turn.agent, { by: OURSELVES, force: false }).catch((error: unknown) => {
        host.logger.warn('an agent that handed over was not stopped', { reason: errorText(error) });
      });
      return;
    }
    this.#lookLater();
  }

  async #wantsToEnd(turn: TurnMoment): Promise<boolean> {
    const signal = await this.#files.signal(this.#since(turn));
    if (signal !== null) {
      return signal.ok;
    }
    const output = await this.#output(turn);
    return output.ready && output.signal !== null;
  }

  async #finish(turn: TurnMoment, state: WorkerState['kind']): Promise<void> {
    const next = await this.#verdict(turn, state);
    if (next.kind === 'turn') {
      const { agent, context, iteration } = next;
      await this.#start({ ...turn, agent, from: turn.agent, context, iteration }, 'handoff');
    } else {
      await this.#over(turn, next.kind, next.kind === 'failed' ? next.trouble : null);
    }
  }

  async #verdict(turn: TurnMoment, state: WorkerState['kind']): Promise<NextTurn | Ending> {
    if (state === 'failed') {
      // That it was given up is in the inbox already.
      return { kind: 'failed', trouble: null };
    }
    const signal = await this.#signalOf(turn);
    if (typeof signal === 'string') {
      return { kind: 'failed', trouble: signal };
    }
    const stopBy = this.#options.journal.moment.agents.get(turn.agent)?.stopBy ?? OURSELVES;
    return signal === null && state === 'stopped' && stopBy !== OURSELVES
      ? { kind: 'stopped' }
      : nextTurn({ ...turn, agents: this.#options.crew.names(), signal });
  }

  /** What the agent left behind; a text says what is wrong with it. */
  async #signalOf(turn: TurnMoment): Promise<HandoffSignal | string | null> {
    const file = await this.#files.signal(this.#since(turn));
    if (file === null) {
      return (await this.#output(turn)).signal;
    }
    return file.ok
      ? file.value
      : `The handoff-signal.json of ${turn.agent} ${file.error}. Mend its prompt, then start the session again.`;
  }

  /** When the run of this turn began, epoch milliseconds. */
  #since({ agent }: TurnMoment): number {
    const startedAt = Date.parse(this.#options.journal.moment.agents.get(agent)?.startedAt ?? '');
    return Number.isNaN(startedAt) ? 0 : startedAt;
  }

  async #output({ agent }: TurnMoment): Promise<ReturnType<typeof signalInOutput>> {
    const logFile = agentPathsIn(this.#options.paths, agent)?.logFile ?? '';
    const size = (await lstat(logFile).catch(() => null))?.size ?? 0;
    const text = (await lastLines(logFile, OUTPUT_LINES).catch(() => [])).join('\n');
    // A log that shrank was turned over in this turn, so all of it is new.
    const isNew = size < this.#logBytes ? Number.POSITIVE_INFINITY : size - this.#logBytes;
    const bytes = Buffer.from(text);
    return signalInOutput(bytes.subarray(Math.max(0, bytes.length - isNew)).toString());
  }

  async #over(turn: TurnMoment, status: SequenceEnd, trouble: string | null): Promise<void> {
    const { journal, crew } = this.#options;
    await journal.add([
      { type: 'SequenceEnded', data: { status } },
      { type: 'SessionStopped', data: { by: OURSELVES } },
    ]);
    await this.#files.dropSignal();
    await this.#files.dropPending();
    await this.#writeFiles({ ...turn, status }, status);
    if (trouble !== null) {
      const payload = { systemEvent: 'error', message: trouble };
      await crew.mail.send({ from: supervisorName, to: personName, type: 'System', payload });
    }
  }
}
