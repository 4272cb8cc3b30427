import type { Clock } from '../core/base/clock';

/** The same work, left out where it was done less than `everyMs` ago. */
export function seldom(clock: Clock, everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let doneAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.monotonic() - doneAt >= everyMs) {
      doneAt = clock.monotonic();
      await work();
    }
  };
}
