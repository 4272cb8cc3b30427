import type { Clock } from '../core/base/clock';
import { toDisposable, type Disposable } from '../core/base/disposable';
import { SerialQueue } from '../core/base/serialQueue';

const SHORTEST_MS = 50;
const LONGEST_MS = 5000;
const FOLLOWED_MS = 250;

/** The pause before the next look: short while something happens, doubling when quiet, bounded while followed. */
export function nextPause(lastPauseMs: number, sawSomething: boolean, followed: boolean): number {
  const pause = sawSomething ? SHORTEST_MS : lastPauseMs * 2;
  return Math.min(pause, followed ? FOLLOWED_MS : LONGEST_MS);
}

/** Looks again and again, by `nextPause`. A look never overlaps another one. */
export class OutputWatch {
  readonly #clock: Clock;
  readonly #look: () => Promise<boolean>;
  readonly #queue = new SerialQueue();
  #pause = SHORTEST_MS;
  #timer: Disposable = toDisposable(() => undefined);
  #followed = false;
  #ended = false;

  constructor(clock: Clock, look: () => Promise<boolean>) {
    this.#clock = clock;
    this.#look = look;
  }

  start(): void {
    this.#timer = this.#clock.schedule(this.#pause, () => {
      void this.#round();
    });
  }

  /** While followed, looks come every 250 ms at least, the first one at once. */
  setFollowed(followed: boolean): void {
    const isNew = followed && !this.#followed;
    this.#followed = followed;
    if (isNew) {
      this.wake();
    }
  }

  /** Something is about to come: looks at once, and often again. */
  wake(): void {
    if (!this.#ended) {
      this.#timer.dispose();
      this.#pause = SHORTEST_MS;
      void this.#round();
    }
  }

  /** Ends the looks; resolves when the one that runs is over. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer.dispose();
    await this.#queue.run(() => undefined);
  }

  async #round(): Promise<void> {
    const sawSomething = await this.#queue.run(this.#look);
    this.#pause = nextPause(this.#pause, sawSomething, this.#followed);
    this.#timer.dispose();
    if (!this.#ended) {
      this.start();
    }
  }
}
