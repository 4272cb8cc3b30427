import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';

/** An existing agent waits no longer for the answer to its call (actors.md §4), milliseconds. */
const WAIT_MS = 330_000;

/**
 * Whether an existing agent waits for the answer to a `CLIInvoke`. So long it drops every other line unread, so mail for
 * it stays where it is.
 */
export class CallWait {
  readonly #clock: Clock;
  readonly #onOver: () => void;
  #timer: Disposable | null = null;

  /** `onOver` is called when the wait ends without an answer. */
  constructor(clock: Clock, onOver: () => void) {
    this.#clock = clock;
    this.#onOver = onOver;
  }

  get isOpen(): boolean {
    return this.#timer !== null;
  }

  begin(): void {
    this.#timer?.dispose();
    this.#timer = this.#clock.schedule(WAIT_MS, () => {
      this.#timer = null;
      this.#onOver();
    });
  }

  /** It has its answer, or is gone. */
  end(): void {
    this.#timer?.dispose();
    this.#timer = null;
  }
}
