import type { WorkerIdValue } from './workerKey';

/** One task as a state file or a log tells of it. Times are as written, null where it has none. */
export interface TaskRecord {
  readonly id: string;
  /** Verbatim; unknown words are shown as they are (features.md §2). */
  readonly status: string;
  readonly worker: WorkerIdValue | null;
  readonly level: number | null;
  readonly title: string | null;
  readonly retryCount: number;
  readonly error: string | null;
  readonly nextRetryAt: string | null;
  readonly claimedAt: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly updatedAt: string | null;
}

/** One worker of a state file. Times are as written. */
export interface WorkerRecord {
  readonly key: string;
  readonly status: string | null;
  readonly currentTask: string | null;
  readonly tasksCompleted: number | null;
  readonly containerId: string | null;
  readonly port: number | null;
  readonly branch: string | null;
  /** 0 to 1. */
  readonly contextUsage: number | null;
  readonly startedAt: string | null;
  readonly readyAt: string | null;
  readonly healthCheckAt: string | null;
  readonly lastTaskCompletedAt: string | null;
}

/** A worker of which nothing is known but that it is there. */
export function unknownWorker(key: string): WorkerRecord {
  return {
    key,
    status: null,
    currentTask: null,
    tasksCompleted: null,
    containerId: null,
    port: null,
    branch: null,
    contextUsage: null,
    startedAt: null,
    readyAt: null,
    healthCheckAt: null,
    lastTaskCompletedAt: null,
  };
}

export interface LevelRecord {
  readonly status: string | null;
  readonly mergeStatus: string | null;
}

/** An entry of the execution log, or a line of `{feature}-events.jsonl`. */
export interface RunEvent {
  readonly at: string | null;
  readonly event: string;
  readonly worker: string | null;
  readonly mode: string | null;
  /** Tasks of the whole run, where it says so. */
  readonly totalTasks: number | null;
}

export type StateKind = 'state' | 'execution-state' | 'checkpoint';

/** A state file of any of the three shapes (features.md §1). */
export interface StateDocument {
  readonly kind: StateKind;
  /** What the file calls its feature; never a path. */
  readonly feature: string | null;
  readonly startedAt: string | null;
  readonly currentLevel: number | null;
  readonly paused: boolean;
  readonly error: string | null;
  readonly tasks: ReadonlyMap<string, TaskRecord>;
  readonly workers: ReadonlyMap<string, WorkerRecord>;
  readonly levels: ReadonlyMap<number, LevelRecord>;
  readonly events: readonly RunEvent[];
}
