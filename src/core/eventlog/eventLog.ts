import { constants, lstatSync, type Stats, writeSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, truncate } from 'node:fs/promises';
import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import { errorCode } from '../base/errorText';
import type { EventLine } from '../protocol/events/eventLine';
import { writeFileAtomic } from '../system/atomicFile';
import { PromptDisk } from '../system/promptDisk';
import type { LogFold, LogMoment, LogPlace } from './logFormat';
import { type LogFaults, type Replay, replayLog } from './replayLog';
import { closedSegment, removeOldSegments, stateFile } from './segments';

/** This process does not lead (any more), so nothing was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** What happened, before it has a number. */
export interface LogEvent {
  readonly type: string;
  readonly data: object;
}

export interface EventLogOptions<M extends LogMoment> {
  readonly place: LogPlace<M>;
  /** Of the lease under which this process writes. */
  readonly epoch: number;
  /** Whether that lease still holds; asked before each write (lifecycle §6). */
  readonly verify: () => Promise<boolean>;
  readonly clock: Clock;
}

interface OpenLog {
  readonly file: FileHandle;
  readonly inode: number;
}

const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/**
 * The writing end of a log, for the process that leads. What is written at once is one write, whole or not at all. Turned
 * over above its size: what it told so far becomes a snapshot, so that no replay has to begin at the beginning.
 */
export class EventLog<E extends LogEvent, M extends LogMoment> {
  readonly #options: EventLogOptions<M>;
  readonly #place: LogPlace<M>;
  readonly #fold: LogFold<M>;
  readonly #disk: PromptDisk;
  #size: number;
  #first: number | null;
  /** Of the latest snapshot that was written here. */
  #snapshotBytes = 0;
  #torn = false;
  #open: OpenLog | null = null;
  #idle: Disposable | null = null;
  #isWriting = false;
  #closed = false;
  readonly #epoch: number;

  /** What was wrong with the log when it was opened, with the bytes of a torn end that were cut off. */
  readonly faults: LogFaults & { readonly cutBytes: number };

  private constructor(options: EventLogOptions<M>, replay: Replay<M>, cutBytes: number) {
    this.#options = options;
    this.#place = options.place;
    this.#fold = replay.fold;
    this.#disk = new PromptDisk(options.clock);
    this.#size = replay.wholeBytes;
    this.#first = replay.currentFirst;
    // Where the lease files were deleted epochs began anew: the lines go on with the log's own, or nobody would read them.
    this.#epoch = Math.max(options.epoch, replay.fold.moment.epoch);
    this.faults = { ...replay.faults, cutBytes };
  }

  /** Reads the log and cuts off a torn last line. Makes nothing. Rejects with the system's error. */
  static async open<E extends LogEvent, M extends LogMoment>(options: EventLogOptions<M>): Promise<EventLog<E, M>> {
    const replay = await replayLog(options.place);
    const cut = await repair(options.place.current);
    return new EventLog(options, replay, cut);
  }

  /** What the log tells after the last line. */
  get moment(): M {
    return this.#fold.moment;
  }

  /** Adds one line; the next call only after this one. Rejects as `appendAll` does. */
  async append(event: E): Promise<void> {
    await this.appendAll([event]);
  }

  /**
   * Adds lines with one write and one look at the lease, at most as many as the format allows; the next call only after
   * this one. Gives the lines as they were written. Rejects with `LeaseLost`, or with the system's error, and then
   * nothing of them is in the log.
   */
  async appendAll(events: readonly E[]): Promise<readonly EventLine[]> {
    if (events.length > this.#place.format.batchLines) {
      throw new RangeError(`${String(events.length)} lines are more than one write of this log may have.`);
    }
    await this.#prepare();
    const timestamp = new Date(this.#options.clock.now()).toISOString();
    const lines = events.map(({ type, data }, index) => ({
      seq: this.#fold.seq + 1 + index,
      type,
      timestamp,
      data: { ...data },
      epoch: this.#epoch,
    }));
    await this.#write(Buffer.from(lines.map(this.#place.format.formatLine).join('')));
    this.#first ??= lines[0]?.seq ?? null;
    for (const line of lines) {
      this.#fold.apply(line);
    }
    return lines;
  }

  /** Nothing is written any more, but for what is being written. */
  close(): void {
    this.#closed = true;
    this.#idle?.dispose();
    if (!this.#isWriting) {
      this.#letGoSoon();
    }
  }

  async #prepare(): Promise<void> {
    if (this.#torn) {
      await repair(this.#place.current);
      this.#torn = false;
    }
    if (this.#size >= Math.max(this.#place.format.segmentBytes, this.#snapshotBytes) && this.#first !== null) {
      await this.#ensureLeading();
      await this.#turnOver(this.#first);
    }
  }

  async #ensureLeading(): Promise<void> {
    if (!(await this.#options.verify())) {
      throw new LeaseLost('This process does not lead the project any more.');
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#idle?.dispose();
    this.#isWriting = true;
    try {
      const [known] = await Promise.all([this.#stillOpen(), this.#ensureLeading()]);
      const { file, size: found } = known ?? (await this.#openAnew());
      const size = found === this.#size ? found : await this.#mended(file);
      await this.#writeWhole(file, bytes, size);
      this.#size = size + bytes.length;
    } finally {
      this.#isWriting = false;
      await this.#keepOpen();
    }
  }

  /** Somebody else cut the file or wrote into it: a line must not be added to the half of another one. Gives its size. */
  async #mended(file: FileHandle): Promise<number> {
    await repair(this.#place.current);
    return (await file.stat()).size;
  }

  async #keepOpen(): Promise<void> {
    const { keptOpenMs } = this.#place.format;
    if (this.#closed || keptOpenMs === undefined) {
      await this.#letGo();
      return;
    }
    this.#idle = this.#options.clock.schedule(keptOpenMs, () => {
      this.#letGoSoon();
    });
  }

  /** The file of the last write with its size by now, where it is still the one at the log's path. */
  async #stillOpen(): Promise<{ readonly file: FileHandle; readonly size: number } | null> {
    const known = this.#open;
    const there = known === null ? null : await this.#look();
    return known !== null && there?.isFile() === true && there.ino === known.inode
      ? { file: known.file, size: there.size }
      : null;
  }

  async #look(): Promise<Stats | null> {
    const { current } = this.#place;
    const step = this.#disk.step(
      () => lstatSync(current),
      async () => await lstat(current),
    );
    return await step.catch(() => null);
  }

  async #openAnew(): Promise<{ readonly file: FileHandle; readonly size: number }> {
    await this.#letGo();
    const file = await open(this.#place.current, FLAGS, 0o644);
    const stat = await file.stat();
    if (!stat.isFile()) {
      await file.close();
      throw new Error(`${this.#place.current} is not a regular file. Move it away.`);
    }
    this.#open = { file, inode: stat.ino };
    return { file, size: stat.size };
  }

  #letGoSoon(): void {
    this.#letGo().catch(() => {
      // A file that cannot be closed has nothing left to write.
    });
  }

  async #letGo(): Promise<void> {
    const known = this.#open;
    this.#open = null;
    await known?.file.close();
  }

  /** A disk that fills up takes a part of the line: that part is taken back. */
  async #writeWhole(file: FileHandle, bytes: Buffer, size: number): Promise<void> {
    try {
      for (let written = 0; written < bytes.length; ) {
        const rest = bytes.subarray(written);
        written += await this.#disk.step(
          () => writeSync(file.fd, rest),
          async () => (await file.write(rest)).bytesWritten,
        );
      }
    } catch (error) {
      await file.truncate(size).catch(() => {
        // Then the next line cuts it off first.
        this.#torn = true;
      });
      throw error;
    }
  }

  /** The snapshot comes first: whoever dies in between leaves a segment that only grows on. */
  async #turnOver(first: number): Promise<void> {
    const { current, closedDir, format } = this.#place;
    const closed = closedSegment(this.#place, first);
    try {
      await mkdir(closedDir).catch(ignoreExisting);
      if ((await lstat(closed).catch(() => null)) === null) {
        const snapshot = format.formatMoment(this.#fold.moment);
        await writeFileAtomic(stateFile(this.#place, this.#fold.seq + 1), snapshot);
        await this.#letGo();
        await rename(current, closed);
        this.#snapshotBytes = Buffer.byteLength(snapshot);
        this.#size = 0;
        this.#first = null;
        await removeOldSegments(this.#place, format.keptSegments ?? Number.MAX_SAFE_INTEGER);
      }
    } catch {
      // A disk without room for a snapshot may still take a line; the next line tries again.
    }
  }
}

/** Cuts off what stands behind the last newline; gives the number of those bytes. */
async function repair(path: string): Promise<number> {
  const end = await lastWholeByte(path);
  if (end === null || end.whole === end.size) {
    return 0;
  }
  await truncate(path, end.whole);
  return end.size - end.whole;
}

async function lastWholeByte(path: string): Promise<{ readonly whole: number; readonly size: number } | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
  if (file === null) {
    return null;
  }
  try {
    const { size } = await file.stat();
    return { whole: await endOfLastLine(file, size), size };
  } finally {
    await file.close();
  }
}

async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  const block = Buffer.allocUnsafe(64 * 1024);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - block.length);
    const { bytesRead } = await file.read(block, 0, end - from, from);
    const newline = block.lastIndexOf(10, bytesRead - 1);
    if (newline >= 0 && bytesRead > 0) {
      return from + newline + 1;
    }
    end = from;
  }
  return 0;
}

function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') {
    throw error;
  }
}
