import { type Clock, delay } from './clock';

/** Half of what a window may be held up at once (performance.md), milliseconds. */
const SLICE_MS = 8;

/** Cuts a long job into slices: what else waits in this process runs in between, so that no list holds up a window. */
export class TimeSlice {
  readonly #clock: Clock;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Whether the job has run for its time, and should let others run. */
  get isOver(): boolean {
    return this.#clock.monotonic() - this.#since >= SLICE_MS;
  }

  /** Lets others run; the next slice begins then. */
  async pause(): Promise<void> {
    await delay(this.#clock, 0);
    this.#since = this.#clock.monotonic();
  }
}
