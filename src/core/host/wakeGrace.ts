import type { Clock } from '../base/clock';
import type { FleetSnapshot, WorkerHealth, WorkerSnapshot } from '../protocol/snapshot';

/** Looks come every two seconds at the latest; a gap of this much is a sleep, a frozen process or a clock that was set. */
const GAP_MS = 15_000;
/** So long workers have to show that they woke up as well. */
const ROUND_MS = 60_000;

/** Health that follows from nothing but the time that went by. */
const BY_AGE: ReadonlySet<WorkerHealth> = new Set(['late', 'silent', 'stale']);

/**
 * One grace round after a wake (lifecycle §7): a process that looks steadily sees by the gap between two looks that it or
 * the whole machine slept, or that the clock jumped, and holds the workers' silence against nobody for a minute.
 */
export class WakeGrace {
  readonly #clock: Clock;
  #lastLook: { readonly now: number; readonly monotonic: number } | null = null;
  #until = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called at each look; whether it falls into a grace round. */
  isHeld(): boolean {
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    const last = this.#lastLook ?? { now, monotonic };
    this.#lastLook = { now, monotonic };
    if (Math.abs(now - last.now) > GAP_MS || monotonic - last.monotonic > GAP_MS) {
      this.#until = monotonic + ROUND_MS;
    }
    return monotonic < this.#until;
  }
}

/** The snapshot with the health that each worker had before, where it got worse only because time went by. */
export function withHealthBefore(before: FleetSnapshot, snapshot: FleetSnapshot): FleetSnapshot {
  const known = new Map(before.workers.map((worker) => [worker.workerId, worker]));
  return { ...snapshot, workers: snapshot.workers.map((worker) => calmed(worker, known.get(worker.workerId))) };
}

function calmed(worker: WorkerSnapshot, before: WorkerSnapshot | undefined): WorkerSnapshot {
  const isNews = before?.state === worker.state && before.health !== worker.health && BY_AGE.has(worker.health);
  return isNews ? { ...worker, health: before.health } : worker;
}
