import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/base/errorText';
import { readBounded, type BoundedText } from '../../core/system/boundedRead';
import { confinedPath } from '../../core/system/safePath';

/** Larger texts are not read: nothing that a person or a model writes by hand comes near. */
export const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const MAX_HASHED_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 10_000;

export interface ProjectEntry {
  readonly name: string;
  /** `other` is a link, pipe, socket or device; none of them is ever followed. */
  readonly kind: 'file' | 'folder' | 'other';
}

export interface ProjectStat {
  readonly kind: ProjectEntry['kind'];
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Reads one project and never writes. Paths are project-relative with `/`. What lies outside, also through a link, is
 * absent. A folder or file that exists and cannot be read rejects with the system's error.
 */
export interface ProjectReader {
  /** The entries of a folder by name, or null where there is no folder. Rejects above 10000 entries. */
  list(folder: string): Promise<readonly ProjectEntry[] | null>;
  stat(path: string): Promise<ProjectStat | null>;
  /** A text of at most 4 MiB. */
  readText(file: string): Promise<BoundedText>;
  /** The exact bytes of a file of at most 64 MiB, or null where there is no file. Rejects when it is larger. */
  readBytes(file: string): Promise<Buffer | null>;
}

/** Opens the project at the absolute path `root`. */
export function openProject(root: string): ProjectReader {
  return new ConfinedProject(root);
}

class ConfinedProject implements ProjectReader {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async list(folder: string): Promise<readonly ProjectEntry[] | null> {
    if ((await this.stat(folder))?.kind !== 'folder') {
      return null;
    }
    const found = await readdir(join(this.#root, folder), { withFileTypes: true });
    if (found.length > MAX_ENTRIES) {
      throw new Error(`${folder} has more than ${MAX_ENTRIES} entries; move what is old to another folder`);
    }
    const entries = found.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async stat(path: string): Promise<ProjectStat | null> {
    const confined = await confinedPath(this.#root, path);
    if (!confined.ok) {
      return null;
    }
    try {
      const found = await lstat(confined.value);
      return { kind: kindOf(found), size: found.size, mtimeMs: found.mtimeMs };
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') {
        return null;
      }
      throw error;
    }
  }

  async readText(file: string): Promise<BoundedText> {
    const confined = await confinedPath(this.#root, file);
    return confined.ok ? await readBounded(confined.value, MAX_TEXT_BYTES) : { kind: 'absent' };
  }

  async readBytes(file: string): Promise<Buffer | null> {
    const stat = await this.stat(file);
    if (stat?.kind !== 'file') {
      return null;
    }
    if (stat.size > MAX_HASHED_BYTES) {
      throw new Error(`${file} is larger than 64 MiB`);
    }
    return await readFile(join(this.#root, file));
  }
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): ProjectEntry['kind'] {
  if (entry.isFile()) {
    return 'file';
  }
  return entry.isDirectory() ? 'folder' : 'other';
}
