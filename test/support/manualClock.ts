import type { Clock } from '../../src/core/base/clock';
import { toDisposable } from '../../src/core/base/disposable';
import { STARTED_AT } from './workerFacts';

/** A clock whose time stands still until it is told to go on. */
export class ManualClock implements Clock {
  readonly #due = new Map<() => void, number>();
  #now = 0;

  now(): number {
    return STARTED_AT + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  schedule(delayMs: number, run: () => void): ReturnType<Clock['schedule']> {
    this.#due.set(run, this.#now + delayMs);
    return toDisposable(() => this.#due.delete(run));
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const [run, at] of [...this.#due]) {
      if (at <= this.#now) {
        this.#due.delete(run);
        run();
      }
    }
  }
}
