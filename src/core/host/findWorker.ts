import { fail, ok } from '../base/result';
import type { FleetSnapshot, WorkerSnapshot } from '../protocol/snapshot';
import { matchWorker } from '../protocol/workers/matchWorker';
import { ambiguousText, notFoundText } from '../protocol/workers/workerTexts';
import type { Outcome } from './api';

/** The worker that an exact id or a unique prefix names (workers.md §3). */
export function findWorker(
  worker: string,
  { workers, problems }: Pick<FleetSnapshot, 'workers' | 'problems'>,
): Outcome<WorkerSnapshot> {
  const match = matchWorker(
    worker,
    workers.map((candidate) => candidate.workerId),
  );
  if (match.kind === 'ambiguous') {
    return fail({ code: 'ambiguous', message: ambiguousText(worker, match.workerIds) });
  }
  const id = match.kind === 'found' ? match.workerId : null;
  const found = workers.find((candidate) => candidate.workerId === id);
  const [problem] = problems;
  if (found === undefined && workers.length === 0 && problem !== undefined) {
    // Nothing is known of anybody, which is not the same as nobody being there.
    return fail({ code: 'failed', message: problem.message });
  }
  return found === undefined ? fail({ code: 'not-found', message: notFoundText(worker) }) : ok(found);
}
