import { lstat, mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readKeeperRecord } from '../protocol/keeper/readKeeperRecord';
import { PRUNE_AFTER_MS } from '../protocol/workers/refreshEntry';
import { STATUS_MAX_BYTES } from '../protocol/workers/sizeLimits';
import { isTerminal } from '../protocol/workers/statusWord';
import { statusWordOf } from '../protocol/workers/statusWordOf';
import { isWorkerId } from '../protocol/workers/workerId';
import { readBounded } from '../system/boundedRead';
import { livenessOf } from '../system/processIdentity';
import { workerPaths } from './paths';
import { listWorkerFolders } from './rebuildEntry';

/** Beside the workers; its name is outside their grammar, so that no reader takes it for one. */
const TRASH = '.trash';
const KEEPER_MAX_BYTES = 256 * 1024;

/** A worker folder that nobody needs any more; `changedAt` is its newest change, epoch milliseconds. */
export interface GarbageFolder {
  readonly workerId: string;
  readonly changedAt: number;
}

export interface GarbageQuestion {
  readonly workersDir: string;
  /** Ids that stand in the registry. */
  readonly known: ReadonlySet<string>;
  readonly now: number;
}

/**
 * The folders that may go (workers.md §4.8): named by the grammar, no link, in no registry entry, ended by their own
 * word, a recorded exit or the proven death of their process, and unchanged for more than a day.
 */
export async function findGarbage({ workersDir, known, now }: GarbageQuestion): Promise<readonly GarbageFolder[]> {
  const found: GarbageFolder[] = [];
  for (const workerId of await listWorkerFolders(workersDir)) {
    const changedAt = known.has(workerId) ? null : await endedSince(workersDir, workerId);
    if (changedAt !== null && now - changedAt > PRUNE_AFTER_MS) {
      found.push({ workerId, changedAt });
    }
  }
  return found;
}

/** Moves the folders into a new batch of the trash and gives its path. */
export async function moveToTrash(workersDir: string, workerIds: readonly string[], now: number): Promise<string> {
  const trash = join(workersDir, TRASH);
  const batch = join(trash, new Date(now).toISOString().replace(/[-:.]/g, ''));
  await mkdir(batch, { recursive: true });
  if (!(await isFolder(trash))) {
    throw new Error(`${trash} is a link, and nothing is moved through it. Put a folder there, or remove it.`);
  }
  for (const workerId of workerIds) {
    await rename(join(workersDir, workerId), join(batch, workerId));
  }
  return batch;
}

/** Puts the newest batch back; what would land on an existing folder stays where it is. Gives what came back. */
export async function restoreNewestBatch(
  workersDir: string,
): Promise<{ readonly batch: string; readonly restored: readonly GarbageFolder[] } | null> {
  for (const batch of await batchesOf(join(workersDir, TRASH))) {
    const restored = await restoreBatch(workersDir, batch);
    if (restored.length > 0) {
      return { batch, restored };
    }
  }
  return null;
}

/** The newest first. Nothing is taken out of a link. */
async function batchesOf(trash: string): Promise<readonly string[]> {
  if (!(await isFolder(trash))) {
    return [];
  }
  const entries = await readdir(trash, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return names
    .sort()
    .reverse()
    .map((name) => join(trash, name));
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() === true;
}

async function restoreBatch(workersDir: string, batch: string): Promise<readonly GarbageFolder[]> {
  const restored: GarbageFolder[] = [];
  for (const workerId of (await readdir(batch)).filter((name) => isWorkerId(name)).sort()) {
    const target = join(workersDir, workerId);
    const folder = await lstat(join(batch, workerId));
    if (folder.isDirectory() && (await lstat(target).catch(() => null)) === null) {
      await rename(join(batch, workerId), target);
      restored.push({ workerId, changedAt: folder.mtimeMs });
    }
  }
  // What could not go back keeps its batch.
  await rmdir(batch).catch(() => undefined);
  return restored;
}

/** The newest change of a worker that has ended for sure; null when that is not sure. */
async function endedSince(workersDir: string, workerId: string): Promise<number | null> {
  const paths = workerPaths(workersDir, workerId);
  if (paths === null) {
    return null;
  }
  const [status, keeper] = await Promise.all([
    readBounded(paths.statusFile, STATUS_MAX_BYTES),
    readBounded(paths.keeperFile, KEEPER_MAX_BYTES),
  ]);
  const hasEnded =
    keeper.kind === 'ok' ? await keptProcessEnded(keeper.text) : status.kind === 'ok' && saysEnd(status.text);
  if (!hasEnded) {
    return null;
  }
  const folder = await lstat(paths.folder);
  const times = [status, keeper].flatMap((file) => (file.kind === 'ok' ? [file.mtimeMs] : []));
  return Math.max(folder.mtimeMs, ...times);
}

function saysEnd(statusText: string): boolean {
  const word = statusWordOf(statusText);
  return word !== null && isTerminal(word);
}

/** Nobody is alive any more, whatever was recorded. A record that cannot be read proves nothing. */
async function keptProcessEnded(keeperText: string): Promise<boolean> {
  const record = readKeeperRecord(keeperText);
  return record !== null && !(await isAnyAlive([record.keeper, record.process]));
}

/** What cannot be told counts as alive: a folder is never taken from under a process. */
async function isAnyAlive(identities: readonly (Parameters<typeof livenessOf>[0] | null)[]): Promise<boolean> {
  const known = identities.filter((identity) => identity !== null);
  return (await Promise.all(known.map(async (identity) => livenessOf(identity)))).some((life) => life !== 'dead');
}
