import type { FleetSnapshot } from '../protocol/snapshot';

/** Whether two snapshots show the same, whenever they were taken. */
export function sameSnapshot(a: FleetSnapshot, b: FleetSnapshot): boolean {
  return (
    a.workers.length === b.workers.length &&
    a.workers.every((worker, index) => same(worker, b.workers[index])) &&
    same({ ...a, at: 0, workers: [] }, { ...b, at: 0, workers: [] })
  );
}

/** Snapshots are plain values. Most are the very same object as before, which needs no look inside. */
function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
