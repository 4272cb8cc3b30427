import type { WorkerSnapshot } from '../protocol/snapshot';

/** True while a person should look at it: it failed, asks, or cannot be read. */
export function needsPerson(worker: WorkerSnapshot): boolean {
  return worker.attention !== null || worker.problem !== null;
}

/** True when the worker has ended and nobody must look at it; such rows fold into *Done*. */
export function isDone(worker: WorkerSnapshot): boolean {
  const ended = worker.state === 'completed' || worker.state === 'failed' || worker.state === 'stopped';
  return ended && !needsPerson(worker);
}

function rank(worker: WorkerSnapshot): number {
  if (isDone(worker)) {
    return 2;
  }
  return worker.state === 'unknown' && !needsPerson(worker) ? 1 : 0;
}

function newestFirst(a: WorkerSnapshot, b: WorkerSnapshot): number {
  return a.startedAt === b.startedAt ? (a.workerId < b.workerId ? 1 : -1) : b.startedAt - a.startedAt;
}

/** What runs or needs a person on top, then what is unknown, then what is done; the newest first in each. */
export function orderWorkers(workers: readonly WorkerSnapshot[]): readonly WorkerSnapshot[] {
  return workers.toSorted((a, b) => (rank(a) === rank(b) ? newestFirst(a, b) : rank(a) - rank(b)));
}
