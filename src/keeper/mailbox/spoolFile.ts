import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeWhole } from '../writeWhole';
import { randomHex } from '../../core/system/randomHex';

/** Where a line stands in the file. */
export interface Place {
  readonly at: number;
  /** With its newline. */
  readonly bytes: number;
}

/** What a spool consists of when it is written anew: texts that end with newlines around lines that it has already. */
export interface NewContent {
  readonly head: string;
  readonly lines: readonly Place[];
  readonly tail: string;
}

const READ_BYTES = 256 * 1024;
const LINE_END = 10;

/** `spool.jsonl` as lines: appends whole ones, reads them again, and is written anew without what nobody needs. */
export class SpoolFile {
  readonly #path: string;
  #fd: number;
  #size: number;

  /**
   * Opens the file, made when absent; `onLine` hears every whole line that is in it. A torn end is cut off. Throws when
   * the disk refuses.
   */
  constructor(path: string, onLine: (text: string, place: Place) => void) {
    this.#path = path;
    this.#fd = openSync(path, 'a+', 0o600);
    this.#size = readLines(this.#fd, onLine);
    ftruncateSync(this.#fd, this.#size);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds text that ends with a newline, by one write; gives where it begins. Throws when the disk refuses. */
  append(text: string): number {
    const at = this.#size;
    const bytes = Buffer.from(text);
    writeWhole(this.#fd, bytes, at);
    this.#size += bytes.length;
    return at;
  }

  /** The line at that place. Throws when the disk refuses. */
  read(place: Place): string {
    return bytesAt(this.#fd, place).toString('utf8');
  }

  /** Writes the file anew and gives the new places of the lines. Throws, and changes nothing, when the disk refuses. */
  rewrite(content: NewContent): readonly Place[] {
    const temp = join(dirname(this.#path), `.${basename(this.#path)}.${process.pid}.${randomHex(6)}.tmp`);
    const fd = openSync(temp, 'ax+', 0o600);
    try {
      const { places, size } = copyLines(this.#fd, fd, content);
      renameSync(temp, this.#path);
      closeSync(this.#fd);
      this.#fd = fd;
      this.#size = size;
      return places;
    } catch (error) {
      closeSync(fd);
      rmSync(temp, { force: true });
      throw error;
    }
  }

  /** Whether this very file still stands at its path. */
  isInPlace(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === fstatSync(this.#fd).ino;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** Hands over each whole line; gives where the last one ends. */
function readLines(fd: number, onLine: (text: string, place: Place) => void): number {
  let rest: Buffer = Buffer.alloc(0);
  let at = 0;
  for (;;) {
    const piece = bytesAt(fd, { at: at + rest.length, bytes: READ_BYTES });
    if (piece.length === 0) {
      return at;
    }
    const block = Buffer.concat([rest, piece]);
    let from = 0;
    for (let end = block.indexOf(LINE_END); end !== -1; end = block.indexOf(LINE_END, from)) {
      onLine(block.toString('utf8', from, end), { at: at + from, bytes: end + 1 - from });
      from = end + 1;
    }
    rest = block.subarray(from);
    at += from;
  }
}

/** Copies by large pieces, because the lines may be many. */
function copyLines(
  from: number,
  to: number,
  { head, lines, tail }: NewContent,
): { readonly places: readonly Place[]; readonly size: number } {
  let piece: Buffer[] = [Buffer.from(head)];
  let written = 0;
  let size = Buffer.byteLength(head);
  const places = lines.map((line) => {
    const place = { at: size, bytes: line.bytes };
    piece.push(bytesAt(from, line));
    size += line.bytes;
    if (size - written >= READ_BYTES) {
      writeWhole(to, Buffer.concat(piece), written);
      piece = [];
      written = size;
    }
    return place;
  });
  writeWhole(to, Buffer.concat([...piece, Buffer.from(tail)]), written);
  return { places, size: size + Buffer.byteLength(tail) };
}

function bytesAt(fd: number, { at, bytes }: Place): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  return buffer.subarray(0, readSync(fd, buffer, 0, bytes, at));
}
