import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, delay } from '../core/base/clock';

const LOOK_EVERY_MS = 100;

/** The protocol's polite stop: a file in the worker's folder whose existence asks it to end at the next safe point. */
export class StopFlag {
  readonly #path: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.#path = join(folder, 'stop-requested');
    this.#clock = clock;
  }

  /** Whether the worker was asked to stop. */
  async isSet(): Promise<boolean> {
    try {
      await lstat(this.#path);
      return true;
    } catch {
      // Absent is the normal case; a folder that cannot be looked at carries no request either.
      return false;
    }
  }

  /** Waits for `pauseMs`, or until the flag appears. Answers whether it did. */
  async appearsWithin(pauseMs: number): Promise<boolean> {
    const end = this.#clock.monotonic() + pauseMs;
    for (;;) {
      if (await this.isSet()) {
        return true;
      }
      const left = end - this.#clock.monotonic();
      if (left <= 0) {
        return false;
      }
      await delay(this.#clock, Math.min(left, LOOK_EVERY_MS));
    }
  }
}
