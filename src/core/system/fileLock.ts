import { rm } from 'node:fs/promises';
import { delay, type Clock } from '../base/clock';
import type { RandomHex } from '../base/randomId';
import { createExclusive } from './atomicFile';
import { readBounded } from './boundedRead';
import { ownerLiveness, ownFileOwner, readFileOwner, type FileOwner } from './fileOwner';

export interface FileLockOptions {
  readonly clock: Clock;
  readonly randomHex: RandomHex;
  /** How long to wait for another holder, milliseconds. */
  readonly waitMs: number;
}

/** Someone else kept the lock for the whole wait. The message names the holder and what to do. */
export class FileLockTimeout extends Error {
  override readonly name = 'FileLockTimeout';
}

interface LockFile {
  readonly owner: FileOwner | null;
  /** Never the same for two holders, so that a lock is recognised whatever happened in between. */
  readonly nonce: string;
}

const MAX_LOCK_BYTES = 4096;
const LONGEST_PAUSE_MS = 50;

/**
 * Runs `job` while no other process or caller holds the lock. A lock is taken away only from a provably dead holder,
 * never by age, and never from another host. Rejects with `FileLockTimeout`, a disk error, or what `job` throws.
 */
export async function withFileLock<T>(path: string, job: () => Promise<T>, options: FileLockOptions): Promise<T> {
  const nonce = options.randomHex(16);
  await acquire(path, nonce, options);
  try {
    return await job();
  } finally {
    await release(path, nonce);
  }
}

async function acquire(path: string, nonce: string, options: FileLockOptions): Promise<void> {
  const text = JSON.stringify({ ...(await ownFileOwner()), nonce });
  const until = options.clock.monotonic() + options.waitMs;
  for (let pause = 2; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    if (await createExclusive(path, text)) {
      return;
    }
    const freed = await removeIfDead(path, text);
    if (!freed) {
      await waitOrGiveUp(path, until, pause, options.clock);
    }
  }
}

async function waitOrGiveUp(path: string, until: number, pauseMs: number, clock: Clock): Promise<void> {
  if (clock.monotonic() >= until) {
    throw new FileLockTimeout(await timeoutText(path));
  }
  await delay(clock, pauseMs);
}

/**
 * Removes a lock whose holder is provably dead; true when the path may be free now. Whoever removes it first claims
 * the right to do so under the dead holder's nonce. So two contenders can never both remove, and the check before the
 * removal cannot be outdated by it. A claim of a dead claimant is removed by the same rule.
 */
async function removeIfDead(path: string, ownText: string): Promise<boolean> {
  const found = await readLock(path);
  if (found === null) {
    return true;
  }
  if (found.owner === null || (await ownerLiveness(found.owner)) !== 'dead') {
    return false;
  }
  const claim = `${path}.${found.nonce}`;
  if (!(await createExclusive(claim, ownText))) {
    return await removeIfDead(claim, ownText);
  }
  try {
    if ((await readLock(path))?.nonce === found.nonce) {
      await rm(path, { force: true });
    }
  } finally {
    await rm(claim, { force: true });
  }
  return true;
}

async function release(path: string, nonce: string): Promise<void> {
  if ((await readLock(path))?.nonce === nonce) {
    await rm(path, { force: true });
  }
}

/** The lock file's content; null when there is none. A file of another shape has no owner and is never removed. */
async function readLock(path: string): Promise<LockFile | null> {
  const file = await readBounded(path, MAX_LOCK_BYTES);
  if (file.kind !== 'ok') {
    return file.kind === 'absent' ? null : { owner: null, nonce: '' };
  }
  return parseLock(file.text);
}

function parseLock(text: string): LockFile {
  try {
    const value: unknown = JSON.parse(text);
    const owner = readFileOwner(value);
    const nonce = (value as { readonly nonce?: unknown } | null)?.nonce;
    // The nonce becomes part of a file name: only what this module writes itself is taken.
    return typeof nonce === 'string' && /^[0-9a-f]{8,64}$/.test(nonce) ? { owner, nonce } : { owner: null, nonce: '' };
  } catch {
    // Not JSON, so not ours: it has no owner that could be proven dead.
    return { owner: null, nonce: '' };
  }
}

async function timeoutText(path: string): Promise<string> {
  const owner = (await readLock(path))?.owner ?? null;
  if (owner === null) {
    return `${path} is locked by an unknown program. If nothing uses this project now, delete that file and try again.`;
  }
  const holder = `process ${owner.pid} on ${owner.host}`;
  return `${path} is locked by ${holder}. Wait for it or end it; if that machine is gone, delete the file and try again.`;
}
