import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../core/base/errorText';
import { createExclusive } from '../core/system/atomicFile';
import { confinedPath } from '../core/system/safePath';

/**
 * Makes `.keysarium/exports/<name>` in the project at `root`, with the folders it needs; false when there is one
 * already. No part of that path may be a link, not even one inside the project: it could lead into what workers must
 * not change (workers.md §5). Rejects with a sentence for a person.
 */
export async function createExport(root: string, name: string, text: string): Promise<boolean> {
  await realFolder(root, '.keysarium');
  await realFolder(root, '.keysarium/exports');
  const path = await confinedPath(root, `.keysarium/exports/${name}`);
  if (!path.ok) {
    throw new Error(path.error);
  }
  return await createExclusive(path.value, text);
}

async function realFolder(root: string, relative: string): Promise<void> {
  const path = join(root, relative);
  try {
    await mkdir(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      throw error;
    }
  }
  if (!(await lstat(path)).isDirectory()) {
    throw new Error(`${relative} is a link or no folder. Put a real folder there.`);
  }
}
