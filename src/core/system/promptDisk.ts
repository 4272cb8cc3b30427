import type { Clock } from '../base/clock';

/** A step that took longer belongs to a disk that nobody should stand and wait for, milliseconds. */
const SLOW_MS = 20;
/** How long steps go to the background after a slow one, milliseconds. */
const PATIENT_MS = 10_000;

/**
 * Small steps on files that are in memory (a look at a name, a line added without fsync). The way through the thread pool
 * costs some ten times as much as such a step, so it is made at once, in this thread. After one that was slow (a disk of
 * another machine, one that is full of work) steps go to the background for a while.
 */
export class PromptDisk {
  readonly #clock: Clock;
  #patientUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does one step in one of its two forms, which do the same; rejects with what that form throws. */
  async step<T>(atOnce: () => T, inBackground: () => Promise<T>): Promise<T> {
    const begun = this.#clock.monotonic();
    if (begun < this.#patientUntil) {
      return await inBackground();
    }
    try {
      return atOnce();
    } finally {
      const ended = this.#clock.monotonic();
      if (ended - begun > SLOW_MS) {
        this.#patientUntil = ended + PATIENT_MS;
      }
    }
  }
}
