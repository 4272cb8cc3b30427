import { existsSync } from 'node:fs';
import { mkdir, readdir, rmdir } from 'node:fs/promises';

/** Folders that were made for one run. */
export class MadeFolders {
  readonly #made: string[] = [];

  /** Makes those that are not there. Rejects when the disk refuses. */
  async ensure(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      // A type may also name a single file; only a folder can be made for it.
      if (!existsSync(path)) {
        await mkdir(path, { recursive: true });
        this.#made.push(path);
      }
    }
  }

  /** Removes those that were made and are still empty. */
  async removeEmpty(): Promise<void> {
    for (const folder of this.#made.reverse()) {
      await removeIfEmpty(folder);
    }
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) {
      await rmdir(folder);
    }
  } catch {
    // Gone already, or somebody put something into it just now: then it stays.
  }
}
