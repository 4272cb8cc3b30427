import type { WorkerSnapshot } from '../protocol/snapshot';
import { plainLine } from './plainText';
import type { Reader } from './words';

function withTime(worker: WorkerSnapshot, digits: number, reader: Reader): string {
  return `${plainLine(worker.entry.type, 40)} ${reader.timeOfDay(worker.startedAt).slice(0, digits)}`;
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/**
 * The word a person would use for each worker, by worker id: its type, with the start time where two would look the
 * same (`health-check 14:30`), to the second where even that is the same.
 */
export function workerLabels(workers: readonly WorkerSnapshot[], reader: Reader): ReadonlyMap<string, string> {
  const types = countBy(workers.map((worker) => worker.entry.type));
  const minutes = countBy(workers.map((worker) => withTime(worker, 5, reader)));
  const labelOf = (worker: WorkerSnapshot): string => {
    if ((types.get(worker.entry.type) ?? 0) < 2) {
      return plainLine(worker.entry.type, 40);
    }
    const byMinute = withTime(worker, 5, reader);
    return (minutes.get(byMinute) ?? 0) < 2 ? byMinute : withTime(worker, 8, reader);
  };
  return new Map(workers.map((worker) => [worker.workerId, labelOf(worker)]));
}
