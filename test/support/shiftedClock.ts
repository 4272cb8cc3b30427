import { type Clock, systemClock } from '../../src/core/base/clock';
import type { Disposable } from '../../src/core/base/disposable';

/** The machine's clock whose wall time a test can set ahead, so that nobody waits for a minute or a day. */
export class ShiftedClock implements Clock {
  readonly #system = systemClock();
  #aheadMs = 0;

  now(): number {
    return this.#system.now() + this.#aheadMs;
  }

  monotonic(): number {
    return this.#system.monotonic();
  }

  schedule(delayMs: number, run: () => void): Disposable {
    return this.#system.schedule(delayMs, run);
  }

  /** Lets wall time jump. */
  goAhead(ms: number): void {
    this.#aheadMs += ms;
  }
}
