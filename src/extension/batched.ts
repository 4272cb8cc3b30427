import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';

/** Milliseconds: from the first request to the run, and from one run to the next at least. */
export interface BatchTimes {
  readonly delayMs: number;
  readonly restMs: number;
}

/**
 * Runs a job once for all requests that come within a moment, and again by itself while the job wants that, so that
 * ages stay true without anything changing.
 */
export class Batched implements Disposable {
  readonly #clock: Clock;
  readonly #times: BatchTimes;
  readonly #run: () => number | null;
  #soon: Disposable | null = null;
  #tick: Disposable | null = null;
  #lastRun = Number.NEGATIVE_INFINITY;
  #ended = false;

  /** `run` gives the milliseconds after which it wants to run again, or null. */
  constructor(clock: Clock, times: BatchTimes, run: () => number | null) {
    this.#clock = clock;
    this.#times = times;
    this.#run = run;
  }

  /** Asks for a run. */
  soon(): void {
    const rest = this.#lastRun + this.#times.restMs - this.#clock.monotonic();
    this.#soon ??= this.#clock.schedule(Math.max(this.#times.delayMs, rest), () => {
      this.now();
    });
  }

  /** Runs at once; what was asked for before is thereby done. */
  now(): void {
    this.#clear();
    if (this.#ended) {
      return;
    }
    this.#lastRun = this.#clock.monotonic();
    const next = this.#run();
    const again = (): void => {
      this.now();
    };
    this.#tick = next === null ? null : this.#clock.schedule(next, again);
  }

  /** Ends all timers; nothing runs any more. */
  dispose(): void {
    this.#ended = true;
    this.#clear();
  }

  #clear(): void {
    this.#soon?.dispose();
    this.#soon = null;
    this.#tick?.dispose();
    this.#tick = null;
  }
}
