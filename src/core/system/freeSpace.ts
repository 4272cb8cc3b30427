import { statfs } from 'node:fs/promises';

/** How many bytes this user may still write to the disk that holds `path`; null where the system does not tell. */
export async function freeSpace(path: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch {
    // Some network disks do not tell. A guess would refuse work that could be done.
    return null;
  }
}
