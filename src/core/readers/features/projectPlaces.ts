import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { confinedPath } from '../../system/safePath';
import { linkedGitFolder } from './gitLink';

/** A run with more files in one folder is looked at in part. */
const MAX_ENTRIES = 2_000;
const WORKTREES = '.zerg-worktrees';

/** A folder that has a `.zerg` of its own: the project, or a worktree of one feature's worker. */
export interface ZergHome {
  readonly folder: string;
  /** The feature whose worktree it is; null for the project. */
  readonly worktreeOf: string | null;
}

/** The names in a folder below `base`; null where there is none, or a link leads out of `base`. */
export async function namesBelow(base: string, path: string): Promise<readonly string[]> {
  const confined = await confinedPath(base, path);
  const names = confined.ok ? await readdir(confined.value).catch(() => []) : [];
  return names.sort().slice(0, MAX_ENTRIES);
}

/** The names of real folders in a folder; links are none. */
export async function foldersIn(folder: string): Promise<readonly string[]> {
  return await namesOf(folder, (entry) => entry.isDirectory());
}

/** The names of regular files in a folder; links are none. */
export async function plainFilesIn(folder: string): Promise<readonly string[]> {
  return await namesOf(folder, (entry) => entry.isFile());
}

async function namesOf(folder: string, isMeant: (entry: Dirent) => boolean): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter(isMeant)
    .map(({ name }) => name)
    .sort()
    .slice(0, MAX_ENTRIES);
}

/** The worktrees of a project's workers, inside it and beside it; those beside it that belong to another are left out. */
export async function worktreesOf(root: string): Promise<readonly ZergHome[]> {
  const inside = await worktreesIn(join(root, WORKTREES));
  const beside = await worktreesIn(join(dirname(root), WORKTREES));
  const owned = await Promise.all(beside.map(async (home) => ((await isForeign(home.folder, root)) ? [] : [home])));
  return [...inside, ...owned.flat()];
}

/** Whether a path is a real folder; a link to one is none. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true;
}

async function worktreesIn(folder: string): Promise<readonly ZergHome[]> {
  if (!(await isFolder(folder))) {
    return [];
  }
  const homes = (await foldersIn(folder)).map(async (feature) => {
    const workers = (await foldersIn(join(folder, feature))).filter((name) => /^worker-\w+$/.test(name));
    return workers.map((worker) => ({ folder: join(folder, feature, worker), worktreeOf: feature }));
  });
  return (await Promise.all(homes)).flat();
}

/** A worktree's `.git` is a file that names its repository; without one nothing speaks against it. */
async function isForeign(worktree: string, root: string): Promise<boolean> {
  const linked = await linkedGitFolder(worktree);
  return linked !== null && !isInside(root, linked);
}

/** How a path is shown: relative to the project in it and beside it, `~/…` below the home folder, else as it is. */
export function shownPath(root: string, home: string | null, path: string): string {
  if (belongsToProject(root, path)) {
    return slashed(relative(root, path));
  }
  return home !== null && isInside(home, path) ? `~/${slashed(relative(home, path))}` : path;
}

/** Whether an absolute path is the project, or lies in it or in a worktree beside it. */
export function belongsToProject(root: string, path: string): boolean {
  return isAbsolute(path) && (path === root || isInside(root, path) || isInside(join(dirname(root), WORKTREES), path));
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}
