import { localInstant, newestOf, type WriterClock } from './instant';
import { type ProgressLine, taskOfLine } from './progressLog';
import { plainTask } from './readState';
import type { TaskRecord } from './stateDocument';
import { workerIdOf } from './workerKey';

/** What the lines of a `progress.md` say. */
export interface ProgressFacts {
  readonly tasks: ReadonlyMap<string, TaskRecord>;
  /** Each worker that speaks, with the task that it started last and has not ended. */
  readonly workers: ReadonlyMap<string, string | null>;
  /** When each worker spoke last, epoch milliseconds. */
  readonly activity: ReadonlyMap<string, number>;
}

/** Reads the lines in their order, so that later ones win. `known` are the ids that a line may name anywhere. */
export function progressFacts(
  lines: readonly ProgressLine[],
  known: ReadonlySet<string>,
  clock: WriterClock,
): ProgressFacts {
  const tasks = new Map<string, TaskRecord>();
  const workers = new Map<string, string | null>();
  const activity = new Map<string, number>();
  for (const line of lines) {
    const { worker } = line;
    const task = line.what === 'other' ? null : taskOfLine(line, known);
    const before = workers.get(worker) ?? null;
    workers.set(worker, task === null ? before : currentAfter(line, task, before));
    if (task !== null) {
      tasks.set(task, taskAfter(line, tasks.get(task) ?? plainTask(task, 'pending')));
    }
    const spoke = newestOf([localInstant(line.at, clock), activity.get(worker) ?? null]);
    if (spoke !== null) {
      activity.set(worker, spoke);
    }
  }
  return { tasks, workers, activity };
}

function currentAfter({ what }: ProgressLine, task: string, before: string | null): string | null {
  if (what === 'started') {
    return task;
  }
  return before === task ? null : before;
}

function taskAfter({ what, at, worker, text }: ProgressLine, task: TaskRecord): TaskRecord {
  const told = { ...task, worker: workerIdOf(worker), updatedAt: at };
  switch (what) {
    case 'started':
      return { ...told, status: 'in_progress', startedAt: at, completedAt: null, error: null };
    case 'committed':
      return { ...told, status: 'complete', completedAt: at, error: null };
    case 'error':
      return { ...told, status: 'failed', error: text };
    case 'other':
      return task;
  }
}
