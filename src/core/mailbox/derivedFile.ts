import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Logger } from '../base/logger';
import { writeFileAtomic } from '../system/atomicFile';

export interface DerivedFileOptions {
  readonly path: string;
  /** What the file should hold at this moment. */
  readonly text: () => string;
  /** It is written at most this often, milliseconds; less often where making its text takes long. */
  readonly everyMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A long file takes at most this share of the time: one part in so many. */
const SHARE = 20;

/**
 * A file that only repeats what the log tells: replaced at once and as a whole, where it would hold something else, and
 * never many times a second (actors.md §9). A disk that does not take it loses nothing.
 */
export class DerivedFile implements Disposable {
  readonly #options: DerivedFileOptions;
  #written: string | null = null;
  #timer: Disposable | null = null;
  #writing: Promise<void> = Promise.resolve();
  #tookMs = 0;

  constructor(options: DerivedFileOptions) {
    this.#options = options;
  }

  /** Something changed that it may tell of. */
  touch(): void {
    const { clock, everyMs } = this.#options;
    this.#timer ??= clock.schedule(Math.max(everyMs, SHARE * this.#tookMs), () => {
      this.#timer = null;
      void this.flush();
    });
  }

  /** Writes now what it should hold. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.then(async () => this.#write());
    await this.#writing;
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = null;
  }

  async #write(): Promise<void> {
    const { path, text, logger, clock } = this.#options;
    const from = clock.monotonic();
    const wanted = text();
    this.#tookMs = clock.monotonic() - from;
    if (wanted === this.#written) {
      return;
    }
    try {
      await writeFileAtomic(path, wanted);
      this.#written = wanted;
    } catch (error) {
      logger.debug('a derived file could not be written', { path, reason: errorText(error) });
    }
  }
}
