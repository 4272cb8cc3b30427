import { lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { constants, copyFile, lstat, open } from 'node:fs/promises';
import { delay, type Clock } from '../base/clock';
import { errorCode } from '../base/errorText';
import {
  formatRegistryDocument,
  readRegistryDocument,
  REGISTRY_MAX_BYTES,
  type RegistryDocument,
} from '../protocol/workers/registryDocument';
import { isHeldByReader, writeFileAtomic } from '../system/atomicFile';
import { type BoundedText, readBounded } from '../system/boundedRead';

/** A writer that does not rename may be in the middle of the document: it is looked at once more (workers.md §4.11). */
const TORN_RETRY_MS = 50;
/** On a busy machine such a writer may have to wait this long between emptying the file and filling it. */
const STILL_WRITING_MS = 250;

const TEXT_STAMP = 'ok:';

/** What a look at registry.json found. `stamp` changes whenever the content does. */
export type RegistryLook =
  | { readonly kind: 'ok'; readonly document: RegistryDocument; readonly stamp: string }
  | { readonly kind: 'absent'; readonly stamp: string }
  /** It must not be treated as empty. `reason` is a plain sentence without its full stop. */
  | { readonly kind: 'corrupt'; readonly reason: string; readonly stamp: string }
  | { readonly kind: 'unsupported'; readonly version: string; readonly stamp: string }
  /** It may be fine, but this process cannot see it. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly stamp: string };

/**
 * Reads registry.json without the lock. Never throws for bad content. What equals `last` is not understood again. One that
 * is not sound is looked at again, and as long as it was changed only just now.
 */
export async function lookAtRegistry(
  path: string,
  clock: Clock,
  last: RegistryLook | null = null,
): Promise<RegistryLook> {
  for (let retried = false; ; retried = true) {
    const { look, changedAt } = await lookOnce(path, last);
    const isFresh = changedAt !== null && Math.abs(clock.now() - changedAt) < STILL_WRITING_MS;
    if (look.kind !== 'corrupt' || (retried && !isFresh)) {
      return look;
    }
    await delay(clock, TORN_RETRY_MS);
  }
}

/** Whether anything stands at the registry's place. True also when this process may not see it. */
export async function registryExists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR';
  }
}

/**
 * Replaces registry.json by `text` if it still carries `stamp`; false when somebody wrote in between. The text is on the
 * disk before the comparison, so that the gap between comparing and replacing is one rename. Call under the lock.
 */
export async function replaceRegistry(path: string, text: string, stamp: string): Promise<boolean> {
  const staged = stagedOf(path);
  await writeFileAtomic(staged, text, { fsync: true });
  return (await readStamped(path)).stamp === stamp && renameIfSame(staged, path, stamp);
}

/**
 * Changes a sound registry within one turn of the event loop, for when another writer never rests for as long as a disk
 * takes: it is on the disk only when this resolves. Null when that failed as well. Call under the lock.
 */
export async function changeAtOnce(
  path: string,
  change: (document: RegistryDocument) => RegistryDocument,
): Promise<RegistryDocument | null> {
  const text = textNow(path);
  const reading = text === null ? null : readRegistryDocument(text);
  if (reading?.kind !== 'ok') {
    return null;
  }
  const changed = change(reading.document);
  writeFileSync(stagedOf(path), formatRegistryDocument(changed));
  if (!renameIfSame(stagedOf(path), path, `${TEXT_STAMP}${text ?? ''}`)) {
    return null;
  }
  await syncFile(path);
  return changed;
}

function stagedOf(path: string): string {
  return `${path}.next`;
}

/** Compares once more and renames in one breath: a writer that knows no lock gets no turn of the event loop to write in. */
function renameIfSame(staged: string, path: string, stamp: string): boolean {
  if (stamp.startsWith(TEXT_STAMP) && `${TEXT_STAMP}${textNow(path) ?? ''}` !== stamp) {
    return false;
  }
  try {
    renameSync(staged, path);
    return true;
  } catch (error) {
    if (isHeldByReader(error, process.platform)) {
      return false;
    }
    throw error;
  }
}

function textNow(path: string): string | null {
  try {
    const { size } = lstatSync(path);
    return size > REGISTRY_MAX_BYTES ? null : readFileSync(path, 'utf8');
  } catch {
    // It went away or cannot be read any more: either way it is not what it was.
    return null;
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Keeps a copy of a corrupt registry as `registry.json.corrupt-<UTC>` and returns its path. Never overwrites one. */
export async function keepCorruptCopy(path: string, nowMs: number): Promise<string> {
  const instant = new Date(nowMs).toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');
  for (let number = 1; ; number += 1) {
    const copy = `${path}.corrupt-${instant}${number === 1 ? '' : `-${number}`}`;
    try {
      await copyFile(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') {
        throw error;
      }
    }
  }
}

interface Glance {
  readonly look: RegistryLook;
  readonly changedAt: number | null;
}

async function lookOnce(path: string, last: RegistryLook | null): Promise<Glance> {
  const { file, stamp } = await readStamped(path);
  const look = last?.stamp === stamp ? last : understood(file, stamp);
  return { look, changedAt: file.kind === 'ok' ? file.mtimeMs : null };
}

function understood(file: BoundedText, stamp: string): RegistryLook {
  switch (file.kind) {
    case 'ok':
      return { ...readRegistryDocument(file.text), stamp };
    case 'absent':
      return { kind: 'absent', stamp };
    case 'too-large':
      return {
        kind: 'corrupt',
        reason: `registry.json is ${megabytes(file.size)} MB, more than the 8 MB that a registry may have`,
        stamp,
      };
    case 'not-a-file':
      return { kind: 'unreadable', reason: 'it is a link or folder instead of a regular file', stamp };
    case 'unreadable':
      return { kind: 'unreadable', reason: `the system says ${file.code}`, stamp };
  }
}

async function readStamped(path: string): Promise<{ readonly file: BoundedText; readonly stamp: string }> {
  const file = await readBounded(path, REGISTRY_MAX_BYTES);
  // Text is compared as a whole: time stamps of a file system are too coarse for two writes in one tick.
  const stamp = file.kind === 'ok' ? `${TEXT_STAMP}${file.text}` : JSON.stringify(file);
  return { file, stamp };
}

function megabytes(bytes: number): string {
  return (bytes / (1024 * 1024)).toFixed(1);
}
