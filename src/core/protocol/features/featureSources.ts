import type { BranchCommit } from './branchLog';
import type { Heartbeat } from './heartbeat';
import type { EscalationRecord, TokenRecord, WorkerProgress } from './sideFiles';
import type { ProgressLine } from './progressLog';
import type { RunEvent, StateDocument } from './stateDocument';
import type { TaskGraph } from './taskGraph';
import type { TaskListItem } from './taskList';
import type { WorkerBranch } from './workerBranch';
import type { LogActivity } from './workerLog';

/** A file and what was understood of it; `value` is null where it is there and cannot be read. */
export interface SourceFile<T> {
  /** Relative to the project where it lies in it, with `/`. */
  readonly path: string;
  readonly value: T | null;
}

/** A state file. Unreadable ones without a usable backup have no value. */
export interface StateFile extends SourceFile<StateDocument> {
  /** The feature by the file's name; null for `.zerg/state.json`, which says it inside. */
  readonly feature: string | null;
  /** A worktree's own copy. */
  readonly inWorktree: boolean;
}

export interface HeartbeatFile extends SourceFile<Heartbeat> {
  /** The id in the file's name. */
  readonly nameId: string;
  /** The feature whose worktree it lies in, or null. */
  readonly worktreeOf: string | null;
  /** When it was last written, epoch milliseconds. */
  readonly mtimeMs: number;
}

/** A file of `.gsd/specs/{feature}/`, or one that carries a feature's name. */
export interface FeatureFile<T> extends SourceFile<T> {
  readonly feature: string;
}

export interface WorkerLogFile {
  readonly worker: string;
  readonly activity: LogActivity;
}

/** A worker's branch in the project's repository. */
export interface BranchSource extends WorkerBranch {
  /** The last of each worker that committed on it, as far as git keeps a log of it. */
  readonly commits: readonly BranchCommit[];
}

/** One list of a task agent. */
export interface TaskListSource {
  readonly path: string;
  readonly items: readonly TaskListItem[];
  /** Items that cannot be read, so that nothing is known of their tasks. */
  readonly torn: readonly string[];
  /** When it last changed, epoch milliseconds. */
  readonly mtimeMs: number;
}

/** A project-wide table of progress, which belongs to no feature. */
export interface ProjectProgress {
  readonly path: string;
  readonly complete: number;
  readonly total: number;
}

/** Everything that the files of one project say about feature runs. */
export interface FeatureSources {
  /** In the order in which they are believed where nothing tells which is newer. */
  readonly states: readonly StateFile[];
  readonly graphs: readonly FeatureFile<TaskGraph>[];
  readonly assignments: readonly FeatureFile<ReadonlyMap<string, string>>[];
  /** When work on the design began, as written. */
  readonly started: readonly FeatureFile<string>[];
  readonly progressLogs: readonly FeatureFile<readonly ProgressLine[]>[];
  readonly eventLogs: readonly FeatureFile<readonly RunEvent[]>[];
  readonly heartbeats: readonly HeartbeatFile[];
  readonly workerProgress: readonly SourceFile<WorkerProgress>[];
  readonly tokens: readonly SourceFile<TokenRecord>[];
  readonly escalations: readonly SourceFile<readonly EscalationRecord[]>[];
  readonly workerLogs: readonly WorkerLogFile[];
  readonly branches: readonly BranchSource[];
  readonly taskLists: readonly TaskListSource[];
  readonly projectProgress: ProjectProgress | null;
  /** `.gsd/.current-feature`, or null. */
  readonly currentFeature: string | null;
  /** What could not be read, in sentences. */
  readonly diagnostics: readonly string[];
}

export const noSources: FeatureSources = {
  states: [],
  graphs: [],
  assignments: [],
  started: [],
  progressLogs: [],
  eventLogs: [],
  heartbeats: [],
  workerProgress: [],
  tokens: [],
  escalations: [],
  workerLogs: [],
  branches: [],
  taskLists: [],
  projectProgress: null,
  currentFeature: null,
  diagnostics: [],
};
