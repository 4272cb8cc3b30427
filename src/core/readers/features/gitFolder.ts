import { join, resolve } from 'node:path';
import { readBounded } from '../../system/boundedRead';
import { LINK_MAX_BYTES, linkedGitFolder } from './gitLink';
import { isFolder } from './projectPlaces';

/**
 * The folder that holds the branches of a project's repository: `.git`, or where a `.git` that is a file leads (a
 * worktree, a submodule). Null where there is none, where a file on the way is cut off or a link, and for a place on
 * the network, which no file of a project may have asked for.
 */
export async function gitFolder(root: string): Promise<string | null> {
  const path = join(root, '.git');
  if (await isFolder(path)) {
    return path;
  }
  const own = await linkedGitFolder(root);
  if (own === null || isOnNetwork(own)) {
    return null;
  }
  const common = await readBounded(join(own, 'commondir'), LINK_MAX_BYTES);
  if (common.kind !== 'ok') {
    return common.kind === 'absent' ? own : null;
  }
  const named = /^([^\n]+)\n$/.exec(common.text)?.[1];
  const folder = named === undefined ? null : resolve(own, named);
  return folder === null || isOnNetwork(folder) ? null : folder;
}

/** On Windows, where asking for such a place hands out who asks. */
function isOnNetwork(path: string): boolean {
  return path.startsWith('\\\\');
}
