import { readKeeperRecord } from '../protocol/keeper/readKeeperRecord';
import { readBounded } from '../system/boundedRead';
import { workerPaths } from './paths';
import { listWorkerFolders } from './rebuildEntry';

const KEEPER_MAX_BYTES = 256 * 1024;

/**
 * The highest epoch that a keeper of this folder has obeyed; 0 where there is none. Keepers refuse every lower one, so
 * whoever finds no lease any more must begin above it.
 */
export async function highestObeyedEpoch(workersDir: string): Promise<number> {
  let highest = 0;
  for (const workerId of await listWorkerFolders(workersDir)) {
    const path = workerPaths(workersDir, workerId)?.keeperFile ?? null;
    const file = path === null ? null : await readBounded(path, KEEPER_MAX_BYTES);
    const record = file?.kind === 'ok' ? readKeeperRecord(file.text) : null;
    highest = Math.max(highest, record?.epoch ?? 0);
  }
  return highest;
}
