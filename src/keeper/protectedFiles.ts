import { createHash } from 'node:crypto';
import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/base/clock';

/** What is remembered of one protected file. */
export interface ProtectedFile {
  /** Size, inode and both times: anything that touches the file changes it. */
  readonly stat: string;
  /** Tells whether the content is another; null for files that are too large to be read twice. */
  readonly hash: string | null;
  /** When the file last changed, epoch milliseconds. */
  readonly changedAt: number;
}

/** All protected files by their project-relative POSIX path. */
export interface ProtectedFiles {
  readonly files: ReadonlyMap<string, ProtectedFile>;
  /** True when there were more than could be looked at. */
  readonly cut: boolean;
}

export interface LookLimits {
  readonly files: number;
  /** Milliseconds. */
  readonly time: number;
  /** Bytes of content, over all files. */
  readonly content: number;
}

export interface ProtectedPlaces {
  /** Absolute. */
  readonly root: string;
  /** Project-relative files and folders. */
  readonly places: readonly string[];
  /** Folders below them that anybody may change. */
  readonly except: readonly string[];
}

/** Keeps the keeper small and a start quick, whatever the size of the project. */
export const LOOK_LIMITS: LookLimits = { files: 10_000, time: 2000, content: 16 * 1024 * 1024 };

const HASHED_BYTES = 64 * 1024;

/** Looks at every protected file, in a fixed order, as far as the limits let it. Links are looked at, not followed. */
export async function lookAtProtected(
  places: ProtectedPlaces,
  clock: Clock,
  limits: LookLimits = LOOK_LIMITS,
): Promise<ProtectedFiles> {
  const walk = new Walk(places, clock, limits);
  for (const place of places.places) {
    await walk.visit(place);
  }
  return { files: walk.files, cut: walk.cut };
}

/** One file as it is now; null when it is not there. */
export async function lookAtFile(root: string, path: string): Promise<ProtectedFile | null> {
  const stat = await lstat(join(root, path), { bigint: true }).catch(() => null);
  return stat === null || stat.isDirectory() ? null : await describe(join(root, path), stat, HASHED_BYTES);
}

class Walk {
  readonly files = new Map<string, ProtectedFile>();
  cut = false;
  readonly #places: ProtectedPlaces;
  readonly #clock: Clock;
  readonly #limits: LookLimits;
  readonly #deadline: number;
  #content = 0;

  constructor(places: ProtectedPlaces, clock: Clock, limits: LookLimits) {
    this.#places = places;
    this.#clock = clock;
    this.#limits = limits;
    this.#deadline = clock.monotonic() + limits.time;
  }

  async visit(path: string): Promise<void> {
    if (this.cut || this.#places.except.includes(path)) {
      return;
    }
    const absolute = join(this.#places.root, path);
    const stat = await lstat(absolute, { bigint: true }).catch(() => null);
    if (stat?.isDirectory() === true) {
      for (const entry of await entriesOf(absolute)) {
        await this.visit(`${path}/${entry.name}`);
      }
    } else if (stat !== null) {
      await this.#add(path, absolute, stat);
    }
  }

  async #add(path: string, absolute: string, stat: BigIntStats): Promise<void> {
    if (this.files.size >= this.#limits.files || this.#clock.monotonic() > this.#deadline) {
      this.cut = true;
      return;
    }
    const left = this.#limits.content - this.#content;
    const file = await describe(absolute, stat, Math.min(left, HASHED_BYTES));
    this.#content += file.hash === null ? 0 : Number(stat.size);
    this.files.set(path, file);
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function describe(path: string, stat: BigIntStats, maxBytes: number): Promise<ProtectedFile> {
  const { size, ino, mtimeNs, ctimeNs, mode } = stat;
  return {
    stat: [size, ino, mtimeNs, ctimeNs, mode].join(':'),
    hash: size <= BigInt(maxBytes) ? await hashOf(path, stat) : null,
    changedAt: Number(stat.mtimeMs > stat.ctimeMs ? stat.mtimeMs : stat.ctimeMs),
  };
}

async function hashOf(path: string, stat: BigIntStats): Promise<string | null> {
  try {
    const content = stat.isSymbolicLink() ? await readlink(path) : stat.isFile() ? await readFile(path) : '';
    return createHash('sha1').update(content).digest('base64');
  } catch {
    // It may not be read: its times and size still tell a change.
    return null;
  }
}
