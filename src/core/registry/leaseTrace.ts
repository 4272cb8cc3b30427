import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock';
import { PromptDisk } from '../system/promptDisk';
import { leaseFileName } from './leaseRecord';

/** A lease file as it lay there when it was read. */
interface Seen {
  readonly epoch: number;
  readonly file: Stats;
}

/**
 * Knows that a lease still holds without reading the folder and the file again: a lease is taken by making the file of
 * the next epoch, so it holds while that does not exist and the own file is the very one that was read.
 */
export class LeaseTrace {
  readonly #workersDir: string;
  readonly #disk: PromptDisk;
  #seen: Seen | null = null;

  constructor(workersDir: string, clock: Clock) {
    this.#workersDir = workersDir;
    this.#disk = new PromptDisk(clock);
  }

  /** Whether the lease of that epoch holds; `read` is asked where only the files' content can tell. */
  async holds(epoch: number, read: () => Promise<boolean>): Promise<boolean> {
    const [file, next] = await Promise.all([this.#look(epoch), this.#look(epoch + 1)]);
    const isUntouched = this.#seen?.epoch === epoch && file !== null && isSame(this.#seen.file, file);
    if (isUntouched && next === null) {
      return true;
    }
    this.#seen = null;
    const holds = await read();
    // Looked at before it was read: what was changed in between is read again the next time.
    this.#seen = holds && file !== null ? { epoch, file } : null;
    return holds;
  }

  async #look(epoch: number): Promise<Stats | null> {
    const path = join(this.#workersDir, leaseFileName(epoch));
    return await this.#disk
      .step(
        () => lstatSync(path, { throwIfNoEntry: false }) ?? null,
        async () => await lstat(path),
      )
      .catch(() => null);
  }
}

function isSame(before: Stats, now: Stats): boolean {
  return before.ino === now.ino && before.size === now.size && before.mtimeMs === now.mtimeMs;
}
