import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { errorText } from '../core/base/errorText';
import type { OutputPosition } from '../core/protocol/keeper/keeperRecord';
import type { OutputLimits } from '../core/protocol/keeper/keeperSpec';
import { writeWhole } from './writeWhole';

const LINE_END = 10;

export interface ReadableLogOptions {
  readonly path: string;
  readonly limits: OutputLimits;
  /** A full log is copied and emptied instead of renamed, so that the file which a sandbox protects stays. */
  readonly keepsFile: boolean;
  /** Called after each turn-over. */
  readonly onTurn: () => void;
}

/**
 * `worker.log`, what a person reads: appended to, and turned over into `worker.log.1` and so on when it is full.
 * Writes are synchronous: the position in the output that belongs to the log's size must never be a guess.
 */
export class ReadableLog {
  readonly #options: ReadableLogOptions;
  #fd: number;
  #inode: number;
  #size: number;
  #skip = 0;
  #atLineStart = true;

  /** Opens the log, made when absent. Throws when the disk refuses. */
  constructor(options: ReadableLogOptions) {
    this.#options = options;
    this.#fd = openSync(options.path, 'a');
    ({ ino: this.#inode, size: this.#size } = fstatSync(this.#fd));
  }

  /** Which file it is, until it is turned over. */
  get inode(): number {
    return this.#inode;
  }

  /** Its size at the position up to which the output was derived: without what is still to be skipped. */
  get derivedSize(): number {
    return this.#size - this.#skip;
  }

  /**
   * The keeper before this one had written so many bytes into that file at the position where this one starts to derive
   * again: what went there and into newer files since then is skipped.
   */
  skipWhatIsThere(position: Pick<OutputPosition, 'logBytes' | 'logInode'>): void {
    this.#skip = this.#writtenSince(position) ?? this.#size;
  }

  /** Adds text that was derived from the output. Null when it is in the log, else why the disk refused all of it. */
  append(text: string): string | null {
    const bytes = Buffer.from(text);
    const skipped = Math.min(this.#skip, bytes.length);
    const refusal = skipped === bytes.length ? null : this.#write(bytes.subarray(skipped));
    if (refusal === null) {
      this.#skip -= skipped;
    }
    return refusal;
  }

  /**
   * Adds a line of the keeper's own; not before everything that is there was skipped. Lost when the disk refuses it.
   */
  note(text: string): void {
    this.#write(Buffer.from(`${this.#atLineStart ? '' : '\n'}[rollcall] ${text}\n`));
  }

  /** Ends a last line that the output left open. */
  endLine(): void {
    if (!this.#atLineStart) {
      this.#write(Buffer.from('\n'));
    }
  }

  /** Whether somebody else wrote to the log, or put another file in its place. */
  isTouched(): boolean {
    const own = fstatSync(this.#fd);
    return own.size !== this.#size || statSync(this.#options.path, { throwIfNoEntry: false })?.ino !== own.ino;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #writtenSince({ logBytes, logInode }: Pick<OutputPosition, 'logBytes' | 'logInode'>): number | null {
    const files = this.#newestFirst();
    const known = files.findIndex(({ ino, size }) => ino === logInode && size >= logBytes);
    // Without its number (an older keeper, or a log that is copied aside) a smaller log was turned over, once.
    const recorded = known >= 0 && !this.#options.keepsFile ? known : this.#size < logBytes ? 1 : 0;
    const [last] = files.slice(recorded);
    return last === undefined || last.size < logBytes
      ? null
      : files.slice(0, recorded + 1).reduce((sum, { size }) => sum + size, 0) - logBytes;
  }

  #newestFirst(): readonly Stats[] {
    const { path, limits } = this.#options;
    const older = Array.from({ length: Math.max(0, limits.logFiles - 1) }, (_none, index) => `${path}.${index + 1}`);
    return [path, ...older].flatMap((file) => statSync(file, { throwIfNoEntry: false }) ?? []);
  }

  #write(bytes: Buffer): string | null {
    try {
      this.#turnIfFull(bytes.length);
      writeWhole(this.#fd, bytes, this.#size);
    } catch (error) {
      return errorText(error);
    }
    this.#size += bytes.length;
    this.#atLineStart = bytes.at(-1) === LINE_END;
    return null;
  }

  #turnIfFull(more: number): void {
    const { path, limits, keepsFile, onTurn } = this.#options;
    if (this.#size === 0 || this.#size + more <= limits.logBytes) {
      return;
    }
    if (keepsFile) {
      copyAside(path, limits.logFiles);
      ftruncateSync(this.#fd, 0);
      this.#size = 0;
    } else {
      this.#turnOver();
    }
    onTurn();
  }

  #turnOver(): void {
    const { path, limits } = this.#options;
    closeSync(this.#fd);
    try {
      moveAside(path, limits.logFiles);
    } finally {
      this.#fd = openSync(path, 'a');
      ({ ino: this.#inode, size: this.#size } = fstatSync(this.#fd));
    }
  }
}

/** Makes room for a new log by renaming: `.1` becomes `.2` and so on, the log itself `.1`. */
function moveAside(path: string, files: number): void {
  if (files <= 1) {
    rmSync(path, { force: true });
    return;
  }
  shift(path, files);
  renameSync(path, `${path}.1`);
}

/** The same with a copy of the log in the place of `.1`. Whatever stands there meanwhile, a link too, is not written to. */
function copyAside(path: string, files: number): void {
  if (files <= 1) {
    return;
  }
  const copy = `${path}.tmp`;
  rmSync(copy, { force: true, recursive: true });
  copyFileSync(path, copy, constants.COPYFILE_EXCL);
  shift(path, files);
  renameSync(copy, `${path}.1`);
}

function shift(path: string, files: number): void {
  for (let index = files - 1; index > 1; index -= 1) {
    const from = `${path}.${index - 1}`;
    if (sizeOf(from) > 0) {
      renameSync(from, `${path}.${index}`);
    }
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
