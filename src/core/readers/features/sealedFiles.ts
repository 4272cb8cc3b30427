import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { type Clock, delay } from '../../base/clock';
import type { Gate } from '../../base/gate';
import { type BoundedText, readBounded } from '../../system/boundedRead';
import { readTrouble } from './readTrouble';

const lstat = promisify(fs.lstat);

/** What one file says, as its reader understood it. */
export type FileReading<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly mtimeMs: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly mtimeMs: number };

/** How a file is read. `parse` gives null for what it cannot understand, and never throws. */
export interface FileOrder<T> {
  readonly path: string;
  readonly maxBytes: number;
  readonly parse: (text: string) => T | null;
}

interface Sealed {
  readonly key: string;
  readonly reading: FileReading<unknown>;
}

const TORN_RETRY_MS = 50;
/** Two changes within the resolution of a file system's clock may look like one. */
const COARSEST_CLOCK_MS = 2_000;

/**
 * Reads small files of other programs and remembers what they said while they are the same files; what was written in
 * the last two seconds is always read again. A file that cannot be understood is read twice, because a writer that does
 * not rename may be in the middle of it.
 */
export class SealedFiles {
  readonly #clock: Clock;
  readonly #sealed = new Map<string, Sealed>();
  readonly #touched = new Set<string>();
  readonly #gate: Gate;

  /** Each file that is open takes a place at the `gate`. */
  constructor(clock: Clock, gate: Gate) {
    this.#clock = clock;
    this.#gate = gate;
  }

  async read<T>(order: FileOrder<T>): Promise<FileReading<T>> {
    this.#touched.add(order.path);
    const known = this.#sealed.get(order.path);
    if (known !== undefined && (await keyAt(order.path)) === known.key) {
      // A path is always read by the same parser.
      return known.reading as FileReading<T>;
    }
    const first = await this.#once(order);
    if (first.kind !== 'unreadable') {
      return first;
    }
    await delay(this.#clock, TORN_RETRY_MS);
    return await this.#once(order);
  }

  /** Forgets files that nobody asked for since the last call. */
  forgetUnasked(): void {
    for (const path of [...this.#sealed.keys()].filter((known) => !this.#touched.has(known))) {
      this.#sealed.delete(path);
    }
    this.#touched.clear();
  }

  async #once<T>({ path, maxBytes, parse }: FileOrder<T>): Promise<FileReading<T>> {
    const file = await this.#gate.run(async () => readBounded(path, maxBytes));
    const reading = readingOf(file, parse, this.#clock.now());
    if (file.kind === 'ok' && Math.abs(this.#clock.now() - file.mtimeMs) > COARSEST_CLOCK_MS) {
      this.#sealed.set(path, { key: keyOf(file), reading });
    } else {
      this.#sealed.delete(path);
    }
    return reading;
  }
}

function readingOf<T>(file: BoundedText, parse: (text: string) => T | null, now: number): FileReading<T> {
  switch (file.kind) {
    case 'ok': {
      const value = parse(file.text);
      return value === null
        ? { kind: 'unreadable', reason: 'it is cut off or damaged', mtimeMs: file.mtimeMs }
        : { kind: 'ok', value, mtimeMs: file.mtimeMs };
    }
    case 'absent':
      return { kind: 'absent' };
    case 'too-large':
      return { kind: 'unreadable', reason: `it is too large, ${String(file.size)} bytes`, mtimeMs: now };
    case 'not-a-file':
      return { kind: 'unreadable', reason: 'it is no regular file', mtimeMs: now };
    case 'unreadable':
      return { kind: 'unreadable', reason: readTrouble(file.code), mtimeMs: now };
  }
}

async function keyAt(path: string): Promise<string | null> {
  return await lstat(path).then(keyOf, () => null);
}

function keyOf({ ino, mtimeMs, size }: { ino: number; mtimeMs: number; size: number }): string {
  return `${String(ino)}:${String(mtimeMs)}:${String(size)}`;
}
