import { join, resolve } from 'node:path';
import { readBounded } from '../../system/boundedRead';

/** More than any path takes. */
export const LINK_MAX_BYTES = 4 * 1024;

/** Where the `.git` of a folder leads that is a file; null where it is none, or none that can be read to its end. */
export async function linkedGitFolder(folder: string): Promise<string | null> {
  const link = await readBounded(join(folder, '.git'), LINK_MAX_BYTES);
  const named = link.kind === 'ok' ? /^gitdir: ([^\n]+)\n$/.exec(link.text)?.[1] : undefined;
  return named === undefined ? null : resolve(folder, named.trimEnd());
}
