import type { FileHandle } from 'node:fs/promises';
import { readEventLine } from '../protocol/events/eventLine';
import { EventSequence } from './eventSequence';
import type { LogFold, LogMoment, LogPlace } from './logFormat';
import { readLines } from './readLines';
import { replayLog } from './replayLog';
import { openRegular } from './segments';

/** Where a follower stands in the segment that grows. */
interface Standing {
  readonly inode: number;
  readonly offset: number;
}

/**
 * Keeps up with a log that another process writes: each look folds only the lines that are new. Where the file was
 * turned over, replaced or damaged the newest snapshot is read again. Writes nothing.
 */
export class LogFollower<M extends LogMoment> {
  readonly #place: LogPlace<M>;
  #fold: LogFold<M>;
  #at: Standing | null = null;

  constructor(place: LogPlace<M>) {
    this.#place = place;
    this.#fold = place.format.foldFrom(place.format.empty());
  }

  /** What the log tells by now; it moves on with the next look. Rejects with the system's error. */
  async look(): Promise<M> {
    const file = await openRegular(this.#place.current);
    try {
      const isSame = file !== null && this.#at !== null && (await this.#readOn(file, this.#at));
      if (!isSame) {
        await this.#startOver(file);
      }
    } finally {
      await file?.close();
    }
    return this.#fold.moment;
  }

  /** False where the file is not the one that was read, or tells otherwise by now. */
  async #readOn(file: FileHandle, { inode, offset }: Standing): Promise<boolean> {
    const { ino, size } = await file.stat();
    if (ino !== inode || size < offset) {
      return false;
    }
    if (size === offset) {
      return true;
    }
    const { batchLines, lineBytes } = this.#place.format;
    const sequence = new EventSequence({ after: this.#fold.moment, batchLines }, (line) => {
      this.#fold.apply(line);
    });
    const end = await readLines(file, { from: offset, lineBytes }, (text) => {
      const line = readEventLine(text);
      if (line !== null) {
        sequence.push(line);
      }
    });
    sequence.end();
    this.#at = { inode, offset: end };
    // A successor may have taken back what was folded already.
    return sequence.faults.dropped === 0;
  }

  async #startOver(file: FileHandle | null): Promise<void> {
    const { fold, wholeBytes } = await replayLog(this.#place);
    this.#fold = fold;
    // Turned over in the middle of this: the next look finds another file and starts over once more.
    this.#at = file === null ? null : { inode: (await file.stat()).ino, offset: wholeBytes };
  }
}
