/** Lets a limited number of jobs run at once; the others wait for their turn, in the order in which they came. */
export class Gate {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) {
      this.#running += 1;
    } else {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await job();
    } finally {
      this.#pass();
    }
  }

  /** A place goes straight to whoever waits longest, so that nobody who comes later can take it. */
  #pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#running -= 1;
    } else {
      next();
    }
  }
}
