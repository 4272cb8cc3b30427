import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../base/clock';
import { type Disposable, toDisposable } from '../base/disposable';
import { SerialQueue } from '../base/serialQueue';

/** New text of a followed file. `reset` tells that the file began anew (rotated or cut) before this text. */
export interface TailChunk {
  readonly text: string;
  readonly reset: boolean;
}

export interface TailOptions {
  readonly path: string;
  /** How much of what is already there is read first, from the next full line on. */
  readonly tailBytes: number;
  readonly clock: Clock;
  /** Pause between two looks, milliseconds. */
  readonly intervalMs: number;
  readonly onChunk: (chunk: TailChunk) => void;
}

const BLOCK_BYTES = 256 * 1024;
/** A link leads elsewhere, and a pipe that nobody writes to would hold one of the few threads for ever. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Follows a growing text file over rotation and truncation, without a watcher. A regular file that is not there yet is
 * waited for. Multi-byte characters that are split over two reads stay whole. What a rotated file still held is read to its
 * end before the new one begins.
 */
export function tailFile(options: TailOptions): Disposable {
  const tail = new Tail(options);
  let timer: Disposable | null = null;
  let ended = false;
  const look = (): void => {
    void tail.look().finally(() => {
      timer = ended ? null : options.clock.schedule(options.intervalMs, look);
    });
  };
  look();
  return toDisposable(() => {
    ended = true;
    timer?.dispose();
    void tail.close();
  });
}

class Tail {
  readonly #options: TailOptions;
  readonly #queue = new SerialQueue();
  #file: FileHandle | null = null;
  #inode = 0;
  #offset = 0;
  #first = true;
  #closed = false;
  #reset = false;
  #decoder = new StringDecoder('utf8');
  readonly #block = Buffer.alloc(BLOCK_BYTES);

  constructor(options: TailOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    await this.#queue.run(async () => this.#look());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.run(async () => this.#release());
  }

  async #look(): Promise<void> {
    const next = this.#closed ? null : await openOrNull(this.#options.path);
    if (next === null) {
      return;
    }
    const stat = await next.stat();
    if (!stat.isFile()) {
      await next.close();
      return;
    }
    if (this.#file !== null && stat.ino === this.#inode) {
      await next.close();
      if (stat.size < this.#offset) {
        this.#begin(0);
      }
      await this.#drain();
      return;
    }
    await this.#drain();
    await this.#release();
    this.#file = next;
    this.#inode = stat.ino;
    await this.#beginFirst(stat.size);
    await this.#drain();
  }

  /** The first file starts near its end; each later one is a successor and is read whole. */
  async #beginFirst(size: number): Promise<void> {
    if (!this.#first) {
      this.#begin(0);
      return;
    }
    this.#first = false;
    const from = Math.max(0, size - this.#options.tailBytes);
    this.#offset = from === 0 ? 0 : from + (await this.#bytesToNextLine(from));
  }

  async #bytesToNextLine(from: number): Promise<number> {
    const { bytesRead } = (await this.#file?.read(this.#block, 0, BLOCK_BYTES, from)) ?? { bytesRead: 0 };
    const newline = this.#block.subarray(0, bytesRead).indexOf(0x0a);
    return newline === -1 ? 0 : newline + 1;
  }

  #begin(offset: number): void {
    this.#offset = offset;
    this.#reset = true;
    this.#decoder = new StringDecoder('utf8');
  }

  async #drain(): Promise<void> {
    for (;;) {
      const read = this.#closed ? null : await this.#file?.read(this.#block, 0, BLOCK_BYTES, this.#offset);
      if (read === null || read === undefined || read.bytesRead === 0) {
        return;
      }
      this.#offset += read.bytesRead;
      this.#emit(this.#decoder.write(this.#block.subarray(0, read.bytesRead)));
    }
  }

  #emit(text: string): void {
    if (text !== '') {
      this.#options.onChunk({ text, reset: this.#reset });
      this.#reset = false;
    }
  }

  async #release(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }
}

async function openOrNull(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, FLAGS);
  } catch {
    // Not there yet, a link, between two rotations, or out of file handles: the next look tries again.
    return null;
  }
}
