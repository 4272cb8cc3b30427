import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { errorCode } from '../base/errorText';
import { modelOfType } from '../protocol/workers/protocolTypes';
import type { RegistryEntry, StatusDocument } from '../protocol/workers/registryEntry';
import { readStatusDocument, STATUS_MAX_BYTES } from '../protocol/workers/statusDocument';
import { formatTimestamp, parseTimestamp } from '../protocol/workers/timestamp';
import { isWorkerId, outputDirOf, typeOfWorkerId } from '../protocol/workers/workerId';
import { readBounded } from '../system/boundedRead';
import { workerPaths } from './paths';

/** The names of worker folders on the disk, sorted; links and names outside the grammar are none (workers.md §4.11). */
export async function listWorkerFolders(workersDir: string): Promise<string[]> {
  try {
    const entries = await readdir(workersDir, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && isWorkerId(entry.name))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return [];
    }
    throw error;
  }
}

/**
 * A registry entry made again from a worker's folder, for a registry that lost it. What the folder does not tell stays
 * careful: status `unknown`, and the folder's own time as start. Null when there is no such folder.
 */
export async function rebuildEntry(workersDir: string, workerId: string): Promise<RegistryEntry | null> {
  const paths = workerPaths(workersDir, workerId);
  const folder = paths === null ? null : await lstat(paths.folder).catch(() => null);
  if (paths === null || folder?.isDirectory() !== true) {
    return null;
  }
  const silent = { status: 'unknown', started_at: null, completed_at: null } as const;
  const { status, started_at, completed_at } = (await readStatus(paths.statusFile)) ?? silent;
  const type = typeOfWorkerId(workerId) ?? 'unknown';
  return {
    worker_id: workerId,
    type,
    status,
    model: modelOfType(type),
    started_at: formatTimestamp(parseTimestamp(started_at) ?? madeAt(folder)),
    completed_at,
    output_dir: outputDirOf(workerId),
    retry_count: 0,
    extra: {},
  };
}

/** Some file systems do not keep the time of birth and say 0. */
function madeAt({ birthtimeMs, mtimeMs }: Stats): number {
  return birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
}

async function readStatus(path: string): Promise<StatusDocument | null> {
  const file = await readBounded(path, STATUS_MAX_BYTES);
  const reading = file.kind === 'ok' ? readStatusDocument(file.text) : null;
  return reading?.ok === true ? reading.value : null;
}
