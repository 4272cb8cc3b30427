import { link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { delay, systemClock } from '../base/clock';
import { errorCode } from '../base/errorText';
import { randomHex } from './randomHex';

export interface AtomicWriteOptions {
  /** Also survives a power cut: waits until the text is on the disk. */
  readonly fsync?: boolean;
  /** File mode; default 0644 before the umask. */
  readonly mode?: number;
}

const RENAME_TRIES = 10;

/**
 * Replaces the file's whole text at once: a reader sees the old text or the new, never a part. Leaves no temporary
 * file behind, also when it fails. Rejects with the system's error.
 */
export async function writeFileAtomic(path: string, text: string, options: AtomicWriteOptions = {}): Promise<void> {
  const temp = await writeTemp(path, text, options);
  try {
    await renameOver(temp, path);
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  }
  if (options.fsync === true) {
    await syncFolder(dirname(path));
  }
}

/**
 * Makes a file that must not exist yet, complete from its first instant. False when there is one already.
 * An empty text needs no temporary file.
 */
export async function createExclusive(path: string, text: string, options: AtomicWriteOptions = {}): Promise<boolean> {
  if (text === '') {
    return await createEmpty(path, options.mode);
  }
  const temp = await writeTemp(path, text, options);
  try {
    await link(temp, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      return false;
    }
    throw withHardLinkHint(error, path);
  } finally {
    await rm(temp, { force: true });
  }
}

async function createEmpty(path: string, mode: number | undefined): Promise<boolean> {
  try {
    await (await open(path, 'wx', mode)).close();
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

async function writeTemp(path: string, text: string, options: AtomicWriteOptions): Promise<string> {
  const temp = join(dirname(path), `.${basename(path)}.${process.pid}.${randomHex(6)}.tmp`);
  const file = await open(temp, 'wx', options.mode);
  try {
    await file.writeFile(text);
    if (options.fsync === true) {
      await file.sync();
    }
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return temp;
}

/** Windows refuses to replace a file while someone reads it; such a reader is gone within milliseconds. */
async function renameOver(temp: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(temp, path);
      return;
    } catch (error) {
      if (attempt === RENAME_TRIES || !isHeldByReader(error, process.platform)) {
        throw error;
      }
      await delay(systemClock(), 10 * attempt);
    }
  }
}

/** Whether a failed rename is Windows' way to say that a reader has the target open. */
export function isHeldByReader(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '');
}

async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Windows and some network disks cannot sync a folder; the file's own text is safe already.
  }
}

function withHardLinkHint(error: unknown, path: string): unknown {
  if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error) ?? '')) {
    return error;
  }
  const message = `${path} cannot be created at once: this disk has no hard links. Move the project to a disk that has.`;
  return new Error(message, { cause: error });
}
