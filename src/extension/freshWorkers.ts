import type { FleetSnapshot, WorkerSnapshot } from '../core/protocol/snapshot';
import { Fresh, type Memory, type Told } from './fresh';

/** A worker that is told once. */
export type ToldWorker = Told<WorkerSnapshot>;

/** Tells each worker once that comes to fulfil something. */
export function freshWorkers(
  memory: Memory,
  key: string,
  suits: (worker: WorkerSnapshot) => boolean,
): Fresh<WorkerSnapshot> {
  return new Fresh(memory, key, ({ workers }: FleetSnapshot) =>
    workers.filter(suits).map((worker) => ({ id: worker.workerId, what: worker })),
  );
}
