import { lstat, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { errorCode } from '../base/errorText';

/** Between making a socket's file and listening on it lies an instant; a file this old is past it, milliseconds. */
const YOUNGEST_MS = 60_000;

/**
 * Removes the socket files in a private folder of ours whose process is gone: killed keepers and windows leave theirs.
 * A socket is dead when the system refuses the connection; a frozen process still accepts. `now` is epoch
 * milliseconds. Gives how many were removed; what cannot be looked at stays.
 */
export async function removeDeadSockets(folder: string, now: number): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  let removed = 0;
  // One after another: there may be hundreds, and a process may have few descriptors.
  for (const name of names.filter((one) => one.endsWith('.sock'))) {
    const path = join(folder, name);
    if ((await isOldSocket(path, now)) && (await nobodyListens(path))) {
      await rm(path, { force: true });
      removed += 1;
    }
  }
  return removed;
}

async function isOldSocket(path: string, now: number): Promise<boolean> {
  const stat = await lstat(path).catch(() => null);
  return stat?.isSocket() === true && now - stat.mtimeMs > YOUNGEST_MS;
}

async function nobodyListens(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error) => {
      resolve(errorCode(error) === 'ECONNREFUSED');
    });
  });
}
