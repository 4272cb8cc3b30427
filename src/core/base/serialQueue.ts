/**
 * Runs jobs strictly one after another (a worker's mailbox: events never interleave across `await`). A job that fails
 * rejects its own promise and lets the next one run.
 */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  async run<T>(job: () => Promise<T> | T): Promise<T> {
    const result = this.#tail.then(job);
    this.#tail = result.catch(() => undefined);
    return await result;
  }
}
