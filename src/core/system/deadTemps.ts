import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/errorText';

/** A temporary file of `writeFileAtomic` and `createExclusive` lives for milliseconds. */
const OLDEST_LIVING_MS = 10_000;
const TEMP = /^\..+\.(\d+)\.[0-9a-f]{12}\.tmp$/;

/**
 * Removes what writers of atomic files left in a folder when they were killed: temporary files older than ten seconds
 * whose process is gone. `now` is epoch milliseconds. Never rejects; what cannot be removed stays.
 */
export async function removeDeadTemps(folder: string, now: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const pid = Number(TEMP.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && !isRunning(pid) && (await isOld(join(folder, name), now))) {
      await rm(join(folder, name), { force: true }).catch(() => undefined);
    }
  }
}

async function isOld(path: string, now: number): Promise<boolean> {
  const stat = await lstat(path).catch(() => null);
  return stat?.isFile() === true && now - stat.mtimeMs > OLDEST_LIVING_MS;
}

/** Another process may have the number by now; then the file stays for another time. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
