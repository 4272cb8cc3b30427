import { stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { WORKTREES_DIR } from '../protocol/worktrees/worktree';

const FOLDER_MARKS = ['.keysarium', '.zerg', '.gsd'];
const FILE_MARKS = ['.keysarium.json', join('.vscode', 'workers.json')];

/**
 * The one root of all three protocols (workers.md §1): the nearest folder from `start` upward with a protocol folder or
 * file; else the git top level; else `start` itself. `.claude/` never decides. Creates nothing.
 */
export async function findRoot(start: string): Promise<string> {
  const folders = upward(aboveWorktree(resolve(start)));
  return (
    (await firstWhere(folders, hasProtocolMark)) ??
    (await firstWhere(folders, async (folder) => (await kindOf(join(folder, '.git'))) !== null)) ??
    resolve(start)
  );
}

/** Whoever stands in a worktree of ours belongs to the project around it, whatever marks are checked out there. */
function aboveWorktree(start: string): string {
  const place = `${sep}${WORKTREES_DIR.split('/').join(sep)}${sep}`;
  const at = start.indexOf(place);
  return at <= 0 ? start : start.slice(0, at);
}

function upward(start: string): readonly string[] {
  const parent = dirname(start);
  return parent === start ? [start] : [start, ...upward(parent)];
}

async function firstWhere(
  folders: readonly string[],
  test: (folder: string) => Promise<boolean>,
): Promise<string | null> {
  for (const folder of folders) {
    if (await test(folder)) {
      return folder;
    }
  }
  return null;
}

async function hasProtocolMark(folder: string): Promise<boolean> {
  const folders = FOLDER_MARKS.map(async (name) => (await kindOf(join(folder, name))) === 'folder');
  const files = FILE_MARKS.map(async (name) => (await kindOf(join(folder, name))) === 'file');
  return (await Promise.all([...folders, ...files])).includes(true);
}

async function kindOf(path: string): Promise<'file' | 'folder' | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    return null;
  }
  return found.isDirectory() ? 'folder' : 'file';
}
