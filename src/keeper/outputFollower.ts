import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutputPosition } from '../core/protocol/keeper/keeperRecord';
import type { OutputLimits } from '../core/protocol/keeper/keeperSpec';
import type { OutputReader } from './outputReader';
import type { ReadableLog } from './readableLog';

export interface OutputFollowerOptions {
  /** `output.raw`, which the worker appends to. */
  readonly path: string;
  readonly log: ReadableLog;
  readonly reader: OutputReader;
  readonly limits: OutputLimits;
  readonly position: OutputPosition;
  /** Called when the position must reach the disk before more output is read. */
  readonly onMilestone: () => Promise<void>;
}

const READ_BYTES = 64 * 1024;
/** So many bytes are read before other work gets its turn. */
const TURN_BYTES = 2 * 1024 * 1024;
/** Above this multiple of the limit, unread output is dropped instead of read. */
const DROP_FACTOR = 1.5;

/** Reads the worker's output file, writes the readable log from it and keeps the file bounded. */
export class OutputFollower {
  readonly #options: OutputFollowerOptions;
  readonly #fd: number;
  #buffer: Buffer | null = null;
  #offset: number;
  #dropped: number;
  #emptied = 0;
  #size: number;
  #trouble: string | null = null;

  /** Opens the file, made when absent. Throws when that is not possible. */
  constructor(options: OutputFollowerOptions) {
    this.#options = options;
    this.#fd = openSync(options.path, constants.O_RDWR | constants.O_CREAT, 0o600);
    const size = fstatSync(this.#fd).size;
    // Smaller than the recorded position: it was emptied after that was recorded, and read before it was emptied.
    this.#offset = options.position.rawOffset <= size ? options.position.rawOffset : 0;
    this.#size = this.#offset;
    this.#dropped = options.position.droppedBytes;
  }

  get position(): OutputPosition {
    const { log, reader } = this.#options;
    const rawOffset = Math.max(0, this.#offset - reader.openBytes);
    return { rawOffset, logBytes: log.derivedSize, logInode: log.inode, droppedBytes: this.#dropped };
  }

  /** Bytes that the worker has written, as far as they were seen. */
  get bytesSeen(): number {
    return this.#emptied + this.#size;
  }

  /** Reads what is new; true when there was something. `atEnd` also takes a last line without line end. */
  async look(atEnd = false): Promise<boolean> {
    const size = fstatSync(this.#fd).size;
    const isNew = size !== this.#size || this.#trouble !== null;
    if (size < this.#offset) {
      // Someone else emptied the file.
      this.#offset = 0;
    }
    this.#size = size;
    if (isNew || atEnd) {
      await this.#catchUp(atEnd);
    }
    await this.#keepBounded(!isNew);
    return isNew;
  }

  /** Whether another file, or none, stands where the worker's output goes. */
  isReplaced(): boolean {
    return statSync(this.#options.path, { throwIfNoEntry: false })?.ino !== fstatSync(this.#fd).ino;
  }

  close(): void {
    closeSync(this.#fd);
  }

  async #catchUp(atEnd: boolean): Promise<void> {
    let sinceTurn = 0;
    for (;;) {
      const taken = this.#readPiece(atEnd);
      if (taken === 0) {
        break;
      }
      sinceTurn += taken;
      if (sinceTurn >= TURN_BYTES) {
        sinceTurn = 0;
        await nextTurn();
        this.#size = Math.max(this.#size, fstatSync(this.#fd).size);
        // At the end nothing grows any more, so all of it can be read.
        if (!atEnd && this.#size > this.#options.limits.rawBytes * DROP_FACTOR) {
          break;
        }
      }
    }
  }

  #readPiece(atEnd: boolean): number {
    this.#buffer ??= Buffer.allocUnsafeSlow(READ_BYTES);
    const length = readSync(this.#fd, this.#buffer, 0, READ_BYTES, this.#offset);
    const { reader, log } = this.#options;
    const { openBytes } = reader;
    const piece = reader.take(this.#buffer.subarray(0, length), atEnd && length < READ_BYTES);
    this.#trouble = log.append(piece.text);
    if (this.#trouble !== null) {
      reader.drop();
      this.#offset = Math.max(0, this.#offset - openBytes);
      return 0;
    }
    this.#offset += piece.bytes;
    this.#size = Math.max(this.#size, this.#offset);
    reader.keep();
    return piece.bytes;
  }

  /**
   * Empties a file that is too large: when it was read to its end and is quiet, so that no line falls between the look
   * and the emptying; at the latest when it is far too large, whatever is lost with that.
   */
  async #keepBounded(isQuiet: boolean): Promise<void> {
    const { rawBytes } = this.#options.limits;
    const size = fstatSync(this.#fd).size;
    const canWait = !isQuiet || this.#offset - this.#options.reader.openBytes < size;
    if (size <= rawBytes || (canWait && size <= rawBytes * DROP_FACTOR)) {
      return;
    }
    ftruncateSync(this.#fd, 0);
    const lost = size - this.#offset;
    this.#emptied += size;
    this.#offset = 0;
    this.#size = 0;
    if (lost > 0) {
      this.#options.reader.drop();
      this.#dropped += lost;
      this.#options.log.note(dropText(lost, this.#trouble));
    }
    await this.#options.onMilestone();
  }
}

function dropText(bytes: number, trouble: string | null): string {
  const why = trouble === null ? 'it came faster than it could be read' : `the log could not be written (${trouble})`;
  return `${bytes} bytes of output were dropped here: ${why}.`;
}
