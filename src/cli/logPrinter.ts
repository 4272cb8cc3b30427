import type { LogChunk } from '../core/host/api';
import { plainLog } from '../core/presenter/plainText';
import type { CliContext } from './cliContext';
import { logLineJson } from './json/resultJson';

/** How long the end of a log may take to arrive after its worker ended. */
const CATCH_UP_MS = 5000;

export interface LogPrinterOptions {
  readonly workerId: string;
  /** One JSON document a line instead of the text. */
  readonly json: boolean;
  /** How many bytes of the file are not wanted. */
  readonly skipBytes: number;
}

/** Prints a followed log and knows how far into the file it has come. */
export class LogPrinter {
  readonly #context: Pick<CliContext, 'outRaw'>;
  readonly #options: LogPrinterOptions;
  #skip: number;
  #position = 0;
  #line = '';
  #onProgress: (() => void) | null = null;

  constructor(context: Pick<CliContext, 'outRaw'>, options: LogPrinterOptions) {
    this.#context = context;
    this.#options = options;
    this.#skip = options.skipBytes;
  }

  take({ text, reset }: LogChunk): void {
    if (reset) {
      this.#position = 0;
      this.#skip = 0;
    }
    const bytes = Buffer.from(text);
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    this.#position += bytes.length;
    this.#print(skipped === 0 ? text : bytes.toString('utf8', skipped));
    this.#onProgress?.();
  }

  /** Resolves once everything before byte `position` of the current file was taken, or after five seconds. */
  async reached(position: number): Promise<void> {
    await new Promise<void>((resolve) => {
      // A file that shrank or was removed at the end never gets there, and the command must end.
      const timer = setTimeout(resolve, CATCH_UP_MS);
      this.#onProgress = () => {
        if (this.#position >= position) {
          clearTimeout(timer);
          resolve();
        }
      };
      this.#onProgress();
    });
  }

  /** Prints a last line that has no newline. */
  end(): void {
    if (this.#line !== '') {
      this.#print('\n');
    }
  }

  #print(text: string): void {
    const shown = plainLog(text);
    if (!this.#options.json) {
      this.#line = shown === '' ? this.#line : shown.slice(shown.lastIndexOf('\n') + 1);
      this.#context.outRaw(shown);
      return;
    }
    const lines = `${this.#line}${shown}`.split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) {
      this.#context.outRaw(`${logLineJson(this.#options.workerId, line)}\n`);
    }
  }
}
