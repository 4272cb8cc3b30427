import { closeSync, lstatSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Where the compiled form of one program is kept, and for which form of it. */
export interface CodeCache {
  /** The compiled form that an earlier run left of this very file and this very Node; undefined where there is none. */
  read(): Buffer | undefined;
  /** Keeps a compiled form. A disk that refuses costs the next run its head start and nothing else. */
  write(code: Buffer): void;
}

const NO_CACHE: CodeCache = { read: () => undefined, write: () => undefined };

/**
 * The cache for the program in `file`. What it holds is run, so it lies in `privateDir`, and only where that is a folder
 * of this user's that nobody else can write to; it makes no folder. `uid` is null on systems without one.
 */
export function codeCacheFor(file: string, privateDir: string, uid = process.getuid?.() ?? null): CodeCache {
  if (!isPrivate(privateDir, uid)) {
    return NO_CACHE;
  }
  const path = join(privateDir, `${basename(file, '.js')}.code`);
  const stamp = Buffer.from(`${stampOf(file)}\n`);
  return {
    read() {
      const bytes = readOrNull(path);
      // Another installation's program, or another Node's form of it, is overwritten by the next run.
      return bytes?.subarray(0, stamp.length).equals(stamp) === true ? bytes.subarray(stamp.length) : undefined;
    },
    write(code) {
      writeQuietly(path, Buffer.concat([stamp, code]));
    },
  };
}

/** Whether only this user can put files into the folder. */
function isPrivate(folder: string, uid: number | null): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && (uid === null || (stat.uid === uid && (stat.mode & 0o077) === 0));
}

/** Changes with the file, its place and the Node that compiles it. */
function stampOf(file: string): string {
  const { size, mtimeMs } = statSync(file);
  return JSON.stringify([file, size, mtimeMs, process.version, process.arch]);
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    // The first run, or one after a clean-up: the program is compiled from its text.
    return null;
  }
}

function writeQuietly(path: string, bytes: Buffer): void {
  const temp = `${path}.${process.pid}`;
  try {
    const fd = openSync(temp, 'wx', 0o600);
    try {
      writeFileSync(fd, bytes);
    } finally {
      closeSync(fd);
    }
    renameSync(temp, path);
  } catch {
    // A full or read-only disk; the next run compiles again.
    rmSync(temp, { force: true });
  }
}
