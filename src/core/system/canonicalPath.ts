import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../base/errorText';

/**
 * The path without links and without a trailing separator; what does not exist yet is kept as it is written below the
 * deepest part that does. Rejects when a part may not be looked at.
 */
export async function canonicalPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (errorCode(error) !== 'ENOENT' || parent === path) {
      throw error;
    }
    return join(await canonicalPath(parent), basename(path));
  }
}
