import type { Disposable } from '../base/disposable';
import type { Event } from '../base/emitter';
import type { EngineFinding } from '../engines/engineFinding';
import type { ConfigDiagnostic } from '../protocol/config/workersConfig';
import type { FleetSnapshot, WorkerSnapshot } from '../protocol/snapshot';
import type { EventLine } from '../protocol/events/eventLine';
import type { FleetMoment } from '../protocol/events/fleetMoment';
import type { AskedFor } from '../protocol/workers/askedFor';
import type { QueuedStart } from '../protocol/workers/queueDocument';
import type { Surface } from '../protocol/workers/surface';
import type { WorkerType } from '../protocol/workers/workerType';
import type { FeaturesSnapshot } from '../protocol/features/featureSnapshot';
import type { EventsFrom } from './eventReader';
import type { RunFiles, RunFilesRequest, RunLogRequest } from '../readers/features/runFiles';
import type { FeaturesRequest, FollowRequest } from './featureDesk';
import type { RunLogChunk } from './followRunLog';
import type { BeatRequest, RunWritten, TaskRequest } from './runWriter';
import type { AgentWhyReport } from './whyAgent';
import type { WhyReport } from './whyWorker';
import type { WorktreeApi } from './worktreeDesk';

/** Why a request was refused. `message` is the protocol's own text and ends in what the person can do. */
export interface Refusal {
  readonly code:
    | 'limit'
    | 'unknown-type'
    | 'missing-template'
    | 'not-found'
    | 'ambiguous'
    | 'wrong-state'
    | 'untrusted'
    | 'read-only'
    | 'registry-version'
    | 'disk-full'
    | 'fuse'
    | 'unsafe-root'
    | 'isolation'
    | 'engine'
    | 'spawn-failed'
    | 'not-leader'
    | 'failed';
  readonly message: string;
}

export interface StartedWorker {
  readonly workerId: string;
  readonly type: string;
  readonly model: string;
  /** Project-relative POSIX path with a trailing slash. */
  readonly outputDir: string;
  readonly status: string;
  /** Why it is isolated less than it could be, as part of a sentence; absent where it is not. */
  readonly isolationNote?: string;
  /** The protocol's confirmation block. */
  readonly message: string;
}

export interface StopAccepted {
  readonly workerId: string;
  readonly status: string;
  /** The protocol's confirmation lines. */
  readonly message: string;
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Refusal };

/** What became of a *Stop all*. */
export interface StopAllReport {
  readonly stopped: readonly StopAccepted[];
  /** Workers that go on, and why. */
  readonly refused: readonly { readonly workerId: string; readonly error: Refusal }[];
  /** Queued starts that were taken back. */
  readonly dequeued: readonly QueuedStart[];
}

export interface StartRequest extends AskedFor {
  readonly type: string;
  /** The surface that asks: it is named in receipts, and texts come in its words. */
  readonly requestedBy: Surface;
}

export interface StopRequest {
  /** An exact id or a unique prefix. */
  readonly worker: string;
  /** Starts the ladder at once; repeated, it skips to the next step. */
  readonly force: boolean;
  readonly requestedBy: Surface;
}

/** What a person made of a suggestion of the snapshot. */
export interface SuggestionAnswer {
  readonly id: string;
  /** Starts the suggested worker; else the suggestion is dismissed for good. */
  readonly accept: boolean;
  readonly requestedBy: Surface;
}

export interface RetryRequest {
  /** An exact id or a unique prefix of a failed or unknown worker. */
  readonly worker: string;
  readonly requestedBy: Surface;
}

/** A person's answer to what a worker's program asks: a permission or a question. */
export interface AnswerRequest {
  /** An exact id or a unique prefix. */
  readonly worker: string;
  /** Absent: the oldest open request of the worker. */
  readonly requestId?: string;
  /** False denies a permission, and leaves a question without an answer. */
  readonly allow: boolean;
  /** The answer to a question; to a permission that is denied, what the model is told. */
  readonly text: string | null;
  readonly requestedBy: Surface;
}

/** An answer that has reached the program. */
export interface RequestAnswered {
  readonly workerId: string;
  readonly requestId: string;
  /** One line for the person. */
  readonly message: string;
}

/** What of a worker a person has taken out of the inbox. */
export interface Dismissal {
  readonly workerId: string;
  /** One line for the person. */
  readonly message: string;
}

/** Puts one thing of the inbox off, whoever it is of. */
export interface SnoozeRequest {
  /** Id of the item, or a worker's: then its oldest one. */
  readonly item: string;
  /** Epoch milliseconds; with now or less it is brought back. */
  readonly until: number;
  readonly requestedBy: Surface;
}

/** What was put off. Times are epoch milliseconds. */
export interface Snoozed {
  readonly item: string;
  readonly until: number;
  /** When what a program asks is denied unless somebody answers, or null. */
  readonly deniedAt: number | null;
}

/** A fuse that a person has reset. */
export interface FuseReset {
  /** Null where it is no worker's. */
  readonly workerId: string | null;
  /** The fuse with its number. */
  readonly fuse: string;
  /** One line for the person. */
  readonly message: string;
}

/** A worker folder that nobody needs any more. */
export interface Garbage {
  readonly workerId: string;
  /** The newest change in it, epoch milliseconds. */
  readonly changedAt: number;
}

/** What `collectGarbage` found or did. */
export interface GarbageReport {
  readonly folders: readonly Garbage[];
  /** Where they were put, absolute; null for a dry run or where nothing was found. */
  readonly trash: string | null;
}

/** What there is of an engine, for a person. */
export interface EngineReport extends EngineFinding {
  /** The types that would be started with it now. */
  readonly types: readonly string[];
  /** What to type to install it, and to log in. */
  readonly installCommand: string;
  readonly loginCommand: string;
  /** Paths of the project whose files it runs as code, unasked; `auto` takes it in no project that has them. */
  readonly runsUnasked: readonly string[];
}

/** A command for a terminal. */
export interface OpenCommand {
  readonly workerId: string;
  /** The program, absolute, and its arguments. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly cwd: string;
}

/** A request about the session as a whole, or about one agent of it. */
export interface SessionRequest {
  readonly requestedBy: Surface;
}

export interface AgentRequest extends SessionRequest {
  /** Its name in the configuration. */
  readonly agent: string;
}

export interface SendRequest extends SessionRequest {
  /** An agent, `pm`, or `*` for all that run. */
  readonly to: string;
  /** A type of the protocol in any case, or a word of one's own. */
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Id of the message that it answers. */
  readonly inReplyTo?: string;
}

/** What was done about a session. */
export interface SessionAccepted {
  /** One line for the person. */
  readonly message: string;
  /** The agents that it concerns. */
  readonly agents: readonly string[];
  /** Of the message that was sent, or null. */
  readonly messageId: string | null;
}

/** The session of a root and its agents (actors.md); asked of the leader as starts and stops are. */
export interface SessionApi {
  /** Starts the session with the agents that begin with it; goes on with one that was started before. */
  start(request: SessionRequest & { readonly mode?: 'event-driven' | 'sequential' }): Promise<Outcome<SessionAccepted>>;
  /** Asks every agent to stop, in the reverse order of their starts; each has its grace and then its ladder. */
  stop(request: SessionRequest & { readonly force: boolean }): Promise<Outcome<SessionAccepted>>;
  startAgent(request: AgentRequest): Promise<Outcome<SessionAccepted>>;
  /** Also ends its wait for a restart. */
  stopAgent(request: AgentRequest & { readonly force: boolean }): Promise<Outcome<SessionAccepted>>;
  /** Hosts the endpoint of an agent that a person starts by hand. */
  listen(request: AgentRequest): Promise<Outcome<SessionAccepted>>;
  /** Sends a message of the person. It waits in the log for an agent that does not run, or starts it. */
  send(request: SendRequest): Promise<Outcome<SessionAccepted>>;
  /** Answers an item of the inbox with a text; it leaves the inbox. */
  answer(request: SessionRequest & { readonly item: string; readonly text: string }): Promise<Outcome<SessionAccepted>>;
  /** Takes an item out of the inbox without an answer. */
  dismiss(request: SessionRequest & { readonly item: string }): Promise<Outcome<SessionAccepted>>;
  /** Puts an item off until then, epoch milliseconds; it stays in the inbox and is not counted. */
  snooze(request: SnoozeRequest): Promise<Outcome<SessionAccepted>>;
  /** Ends an agent's wait for its restart now. */
  skipWait(request: AgentRequest): Promise<Outcome<SessionAccepted>>;
}

/** A piece of a worker's readable log. `reset` tells that what came before is no longer in the file. */
export interface LogChunk {
  readonly text: string;
  readonly reset: boolean;
}

/**
 * All that a surface may see of core. Expected refusals are values; a rejected promise is a defect or a broken disk.
 */
export interface HostApi extends Disposable {
  readonly root: string;
  /** The session agents. */
  readonly session: SessionApi;
  /** Worktrees of agents and workers that edit code. */
  readonly worktrees: WorktreeApi;
  /** The newest snapshot, without I/O. Empty before the first look. */
  getSnapshot(): FleetSnapshot;
  /** Fires with the whole snapshot after each change, at most every 100 ms. */
  readonly onDidChangeSnapshot: Event<FleetSnapshot>;
  /** Reads everything now. Writes nothing. */
  look(): Promise<FleetSnapshot>;
  /** The status protocol: refresh and prune the registry, then look. Creates nothing where nothing is. */
  refresh(): Promise<FleetSnapshot>;
  /** Starts a worker: by asking the leader, or by leading for this one command. */
  start(request: StartRequest): Promise<Outcome<StartedWorker>>;
  stop(request: StopRequest): Promise<Outcome<StopAccepted>>;
  /**
   * Takes every queued start back, then asks each worker to stop that runs, starts or waits for its retry, so that
   * nothing takes the place of what stops. With `force` also those that are stopping.
   */
  stopAll(request: Omit<StopRequest, 'worker'>): Promise<StopAllReport>;
  /** Starts a new worker in place of a failed or unknown one; at most two per original request (workers.md §4.9). */
  retry(request: RetryRequest): Promise<Outcome<StartedWorker>>;
  /**
   * Takes note that a person has seen a blown fuse (lifecycle §9): of a worker, by an exact id or a unique prefix, which
   * then may be retried once it has ended; of a session agent, by its name; or the project's own, `logs` or `disk`, after
   * which starts go on.
   */
  resetFuse(name: string): Promise<Outcome<FuseReset>>;
  /** Takes a failure or a violation of a worker out of the inbox without settling it, for every surface and for good. */
  dismissWorker(worker: string): Promise<Outcome<Dismissal>>;
  /** Puts one thing of the inbox off for every surface, be it of a worker or of a session agent; it comes back by itself. */
  snooze(request: SnoozeRequest): Promise<Outcome<Snoozed>>;
  /** Answers what a worker's program asks; asked of the leader as starts and stops are. */
  answerRequest(request: AnswerRequest): Promise<Outcome<RequestAnswered>>;
  /** Lets a parked worker go on now, without waiting for the end of its rate limit. */
  wake(worker: string): Promise<Outcome<StartedWorker>>;
  /** What there is of every engine on this machine, and which types would use it. Runs each program once or twice. */
  engines(): Promise<readonly EngineReport[]>;
  /** The command that opens the session of an ended or parked worker in its engine's own terminal UI. */
  openCommand(worker: string): Promise<Outcome<OpenCommand>>;
  /** "Start when a slot is free": a visible wait that the leader ends. Validates like a start. */
  enqueue(request: StartRequest): Promise<Outcome<QueuedStart>>;
  /** Takes a queued start back, by its id or the unique beginning of it. */
  dequeue(id: string): Promise<Outcome<QueuedStart>>;
  /**
   * Moves the folders of ended workers that left the registry more than a day ago into a trash beside it (workers.md
   * §4.8). `dryRun` only tells which.
   */
  collectGarbage(options: { readonly dryRun: boolean }): Promise<Outcome<GarbageReport>>;
  /** Puts back what the last `collectGarbage` took. */
  restoreGarbage(): Promise<Outcome<GarbageReport>>;
  /** Protocol types first, then those of `.vscode/workers.json`. */
  listTypes(): Promise<readonly WorkerType[]>;
  /** What is wrong in `.vscode/workers.json` now, in the order of the file. */
  configDiagnostics(): Promise<readonly ConfigDiagnostic[]>;
  /** Starts or dismisses what the snapshot suggests; gives the worker where one was started. The limit counts. */
  answerSuggestion(answer: SuggestionAnswer): Promise<Outcome<StartedWorker | null>>;
  /** Notes that a bto-test ran just now, which may leave nothing on disk that could be seen. */
  noteBtoTest(): Promise<Outcome<null>>;
  /** An exact id or a unique prefix among the registry's workers. */
  find(worker: string): Promise<Outcome<WorkerSnapshot>>;
  /** Follows a worker's (by id) or a session agent's (by name) readable log from its last `tailBytes`, until disposed. */
  followLog(name: string, tailBytes: number, listener: (chunk: LogChunk) => void): Disposable;
  /** How a worker came to be as it is: cause of death, evidence, the end of its log (lifecycle §4). */
  why(worker: string): Promise<Outcome<WhyReport>>;
  /** The same about a session agent, by its name. */
  whyAgent(agent: string): Promise<Outcome<AgentWhyReport>>;
  /** Hands over the events of the log from there on, oldest first (lifecycle §8). */
  readEvents(from: EventsFrom, listener: (event: EventLine) => void): Promise<void>;
  /** As `readEvents`, and then each new event, until disposed. */
  followEvents(from: EventsFrom, listener: (event: EventLine) => void): Disposable;
  /** The fleet as the log tells it at a past moment, epoch milliseconds. */
  fleetAt(time: number): Promise<FleetMoment>;
  /**
   * The feature runs that other sessions work on, as their files tell (features.md). Writes nothing, and costs a look at
   * one folder where there are none. Rejects for a zone that is none.
   */
  features(request: FeaturesRequest): Promise<FeaturesSnapshot>;
  /** Tells for a worker of a feature run that it lives and what it is at (features.md §4). */
  beat(request: BeatRequest): Promise<Outcome<RunWritten>>;
  /** Sets the status of a task of a feature run, by the rules of the run's own program. */
  setTask(request: TaskRequest): Promise<Outcome<RunWritten>>;
  /** Hands the feature runs over now and after each change, until disposed; where it is `ticking`, also as ages go on. */
  followFeatures(request: FollowRequest, listener: (snapshot: FeaturesSnapshot) => void): Disposable;
  /** Follows the logs of a feature run's worker, each from its last `tailBytes`, until disposed. */
  followRunLog(request: RunLogRequest, tailBytes: number, listener: (chunk: RunLogChunk) => void): Disposable;
  /** Where a feature's specifications and a task's logs are, as far as they are there. */
  runFiles(request: RunFilesRequest): Promise<RunFiles>;
  /** Resolves when the worker's process has ended and its outcome is recorded; rejects when `signal` aborts. */
  waitForEnd(workerId: string, signal: AbortSignal): Promise<WorkerSnapshot>;
  /** Starts watching the files, so that snapshots keep themselves fresh. Idempotent. */
  watch(): Promise<void>;
  /** Tries to lead this root and keeps trying while another leads. Idempotent. */
  lead(): Promise<void>;
  /**
   * Has whoever leads hand over at once, and leads from now on (lifecycle §6); after `lead`. What runs does not notice.
   * Refused in an untrusted workspace, and where the leader gives no answer.
   */
  takeLead(): Promise<Outcome<null>>;
  /** Ends timers, gives the lease up, leaves every worker alone. */
  shutdown(): Promise<void>;
}
