import { basename, join } from 'node:path';
import type { Clock } from '../core/base/clock';
import { errorText } from '../core/base/errorText';
import type { OutputPosition } from '../core/protocol/keeper/keeperRecord';
import type { OutputLimits } from '../core/protocol/keeper/keeperSpec';
import { OutputFollower } from './outputFollower';
import type { OutputReader } from './outputReader';
import { OutputWatch } from './outputWatch';
import { ReadableLog } from './readableLog';

export interface WorkerOutputOptions {
  /** The worker's folder. */
  readonly folder: string;
  /** The readable log. */
  readonly logFile: string;
  readonly limits: OutputLimits;
  /** The log's file itself must stay when the log is turned over, because a sandbox protects it. */
  readonly keepsLogFile: boolean;
  readonly reader: OutputReader;
  readonly position: OutputPosition;
  readonly clock: Clock;
  /** Stores the position; awaited before more output is read. */
  readonly onPosition: (position: OutputPosition) => Promise<void>;
  /** Called with each look, however often or seldom they come. */
  readonly onLook: () => Promise<void>;
}

/** The position in the output reaches the disk at least so often while output flows, milliseconds. */
const POSITION_MS = 10_000;
/** The same while the output tells something that is shown, milliseconds. */
const NEWS_MS = 1000;

/** One worker's output from its file to its log, looked at as often as it is worth it. */
export class WorkerOutput {
  readonly #options: WorkerOutputOptions;
  readonly #log: ReadableLog;
  readonly #follower: OutputFollower;
  readonly #watch: OutputWatch;
  #savedAt: number;
  #lastOutputAt: string | null = null;
  #hasNews = false;

  /** Opens output.raw and worker.log. Throws when the disk refuses. */
  constructor(options: WorkerOutputOptions) {
    this.#options = options;
    this.#savedAt = options.clock.monotonic();
    const { folder, logFile, limits, reader, position, keepsLogFile } = options;
    const onTurn = (): void => {
      void this.savePosition();
    };
    this.#log = new ReadableLog({ path: logFile, limits, keepsFile: keepsLogFile, onTurn });
    this.#log.skipWhatIsThere(position);
    this.#follower = new OutputFollower({
      path: outputPath(folder),
      log: this.#log,
      reader,
      limits,
      position,
      onMilestone: async () => {
        await this.savePosition();
      },
    });
    this.#watch = new OutputWatch(options.clock, async () => await this.#look());
  }

  get position(): OutputPosition {
    return this.#follower.position;
  }

  get bytesSeen(): number {
    return this.#follower.bytesSeen;
  }

  /** ISO 8601 UTC; null before the first output. */
  get lastOutputAt(): string | null {
    return this.#lastOutputAt;
  }

  /** Catches up with what an earlier keeper left, then follows. */
  async start(): Promise<void> {
    await this.#look();
    this.#watch.start();
  }

  setFollowed(followed: boolean): void {
    this.#watch.setFollowed(followed);
  }

  /** Something is about to come: looks at once. */
  lookSoon(): void {
    this.#watch.wake();
  }

  /** The output told something that is shown: its position reaches the disk soon. */
  saveSoon(): void {
    this.#hasNews = true;
  }

  /** Stores how far the output was read, now. */
  async savePosition(): Promise<void> {
    this.#savedAt = this.#options.clock.monotonic();
    this.#hasNews = false;
    await this.#options.onPosition(this.#follower.position);
  }

  /** Adds a line of the keeper's own to the log. */
  note(text: string): void {
    this.#log.note(text);
    void this.savePosition();
  }

  /** Reads the output to its end; nothing writes to it any more. */
  async finish(): Promise<void> {
    await this.#watch.end();
    try {
      await this.#follower.look(true);
    } catch (error) {
      this.#log.note(`The end of the output could not be read: ${errorText(error)}.`);
    }
    this.#log.endLine();
    const { droppedBytes } = this.#follower.position;
    if (droppedBytes > 0) {
      // The notes where it happened may be in a log that was turned over and removed since.
      this.#log.note(`${droppedBytes} bytes of output were dropped in all.`);
    }
  }

  /** Those of its files that somebody else has replaced, removed, or written to where only the keeper may. */
  touchedFiles(): readonly string[] {
    return [
      ...(this.#follower.isReplaced() ? ['output.raw'] : []),
      ...(this.#log.isTouched() ? [basename(this.#options.logFile)] : []),
    ];
  }

  close(): void {
    this.#follower.close();
    this.#log.close();
  }

  async #look(): Promise<boolean> {
    await this.#options.onLook();
    try {
      return await this.#lookAndSave();
    } catch {
      // A disk that fails to read now is asked again at the next look; the output waits in its file.
      return false;
    }
  }

  async #lookAndSave(): Promise<boolean> {
    const moved = await this.#follower.look();
    const { clock } = this.#options;
    if (moved) {
      this.#lastOutputAt = new Date(clock.now()).toISOString();
    }
    const age = clock.monotonic() - this.#savedAt;
    if ((moved && age >= POSITION_MS) || (this.#hasNews && age >= NEWS_MS)) {
      await this.savePosition();
    }
    return moved;
  }
}

/** Where the worker's stdout and stderr go. */
export function outputPath(folder: string): string {
  return join(folder, 'output.raw');
}
