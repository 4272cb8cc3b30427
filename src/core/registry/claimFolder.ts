import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/errorText';
import { fail, ok, type Result } from '../base/result';
import { isKeeperClaim, keeperClaim } from '../protocol/keeper/keeperClaim';
import { readKeeperRecord } from '../protocol/keeper/readKeeperRecord';
import { makeWorkerId } from '../protocol/workers/workerId';
import { readBounded } from '../system/boundedRead';
import { ownIdentity } from '../system/processIdentity';
import { ensureWorkersDir, workerPaths } from './paths';
import { refusalOf, type RegistryRefusal } from './registryRefusal';

const MAX_TRIES = 60;
const KEEPER_FILE = 'keeper.json';
const CLAIM_MAX_BYTES = 16 * 1024;

/** A worker id that nobody else can get any more, because its folder is ours. */
export interface ClaimedFolder {
  readonly workerId: string;
  /** Absolute. */
  readonly folder: string;
  /** The second that the id names, epoch ms; it is also the worker's `started_at`. */
  readonly startedAt: number;
}

export interface ClaimRequest {
  readonly workersDir: string;
  readonly type: string;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Claims an id by making its folder, with `output/` in it. A taken second advances to the next one, up to 60 tries,
 * never to a suffix (workers.md §1). Nothing is left behind when it is refused.
 */
export async function claimWorkerFolder(request: ClaimRequest): Promise<Result<ClaimedFolder, RegistryRefusal>> {
  const ensured = await ensureWorkersDir(request.workersDir);
  if (!ensured.ok) {
    return ensured;
  }
  const firstSecond = Math.floor(request.now / 1000) * 1000;
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const claimed = await claimSecond(request, firstSecond + attempt * 1000);
    if (claimed !== null) {
      return claimed;
    }
  }
  return fail({
    code: 'failed',
    message: `Cannot start worker: the next ${MAX_TRIES} worker ids of type ${request.type} are taken. Try again in a minute.`,
  });
}

async function claimSecond(
  { workersDir, type }: ClaimRequest,
  startedAt: number,
): Promise<Result<ClaimedFolder, RegistryRefusal> | null> {
  const workerId = makeWorkerId(type, startedAt);
  const paths = workerPaths(workersDir, workerId);
  if (paths === null) {
    return fail({
      code: 'failed',
      message: `"${type}" cannot be part of a worker id. Use lower-case letters, digits and single hyphens.`,
    });
  }
  try {
    await mkdir(paths.folder);
  } catch (error) {
    return errorCode(error) === 'EEXIST' ? null : fail(refusalOf(error, 'create the worker folder', workersDir));
  }
  try {
    await mkdir(paths.outputDir);
  } catch (error) {
    await rmdir(paths.folder);
    return fail(refusalOf(error, 'create the output folder', paths.folder));
  }
  return ok({ workerId, folder: paths.folder, startedAt });
}

/**
 * Names in keeper.json who is about to start a keeper here, so that others see at once when that one dies before it came
 * to it. Rejects with the system's error.
 */
export async function signClaim(claimed: ClaimedFolder, nonce: string): Promise<void> {
  const { workerId, folder, startedAt } = claimed;
  const at = new Date(startedAt).toISOString();
  const claim = keeperClaim({ workerId, nonce, starter: await ownIdentity(), at });
  // Nobody looks into a folder that is in no registry yet, so it need not be whole at once.
  await writeFile(join(folder, KEEPER_FILE), `${JSON.stringify(claim)}\n`, { flag: 'wx' });
}

/** Removes such a claim where no keeper came to be; what a keeper wrote stays. */
export async function removeClaim(folder: string): Promise<void> {
  const path = join(folder, KEEPER_FILE);
  const file = await readBounded(path, CLAIM_MAX_BYTES);
  const record = file.kind === 'ok' ? readKeeperRecord(file.text) : null;
  if (record !== null && isKeeperClaim(record)) {
    await rm(path, { force: true });
  }
}

/** Takes a claim back when the start is refused after all. Leaves a folder alone in which something was written. */
export async function releaseWorkerFolder(workersDir: string, workerId: string): Promise<void> {
  const paths = workerPaths(workersDir, workerId);
  if (paths !== null) {
    await removeClaim(paths.folder);
  }
  for (const folder of paths === null ? [] : [paths.outputDir, paths.folder]) {
    try {
      await rmdir(folder);
    } catch {
      // Somebody wrote into it or removed it: either way it is no longer ours to remove.
      return;
    }
  }
}
