import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fail, ok, type Result } from '../base/result';
import { countStatus, type GitWorktree, readWorktreeList } from '../protocol/worktrees/readGit';
import { BRANCH_PREFIX, type Worktree, WORKTREES_DIR, worktreeNames } from '../protocol/worktrees/worktree';
import { createExclusive } from '../system/atomicFile';
import { canonicalPath } from '../system/canonicalPath';
import { confinedPath } from '../system/safePath';
import type { Git } from './git';

/** Where an agent or worker edits. */
export interface PlacedWorktree {
  readonly path: string;
  /** The folder in it that stands for the project's root: a project may be a part of its repository. */
  readonly cwd: string;
}

/** Why this project can have no worktrees, ending in what the person can do; null where it can. */
export async function worktreeTrouble(git: Git): Promise<string | null> {
  const head = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head.code === 0) {
    return null;
  }
  return head.trouble === 'ENOENT'
    ? 'git was not found. Install it, or choose another isolation.'
    : 'This project has no git commit to branch off from. Run git init and git commit, or choose another isolation.';
}

/**
 * The worktree of this name: the one that is there, with what was left in it, or a new one from the project's last commit.
 * Its branch goes on where it was kept.
 */
export async function ensureWorktree(git: Git, name: string): Promise<Result<PlacedWorktree, string>> {
  const names = worktreeNames(name);
  if (names === null) {
    return fail(`${JSON.stringify(name)} cannot name a worktree. Use letters, digits, - and _, at most 64 of them.`);
  }
  const place = await confinedPath(git.root, names.folder);
  const prefix = await git.ask(['rev-parse', '--show-prefix']);
  if (!place.ok || !prefix.ok) {
    return fail(place.ok ? (prefix.ok ? '' : prefix.error) : place.error);
  }
  await mkdir(dirname(place.value), { recursive: true });
  // The project's own git is not to see the others in it.
  await createExclusive(join(dirname(place.value), '.gitignore'), '*\n').catch(() => undefined);
  const path = join(await canonicalPath(dirname(place.value)), name);
  const made = await addWorktree(git, path, names.branch);
  return made.ok ? ok({ path, cwd: join(path, prefix.value.trim()) }) : made;
}

async function addWorktree(git: Git, path: string, branch: string): Promise<Result<null, string>> {
  const listed = await entriesOf(git);
  if (!listed.ok) {
    return listed;
  }
  const isKnown = listed.value.some((entry) => entry.path === path);
  if (isKnown && existsSync(path)) {
    return ok(null);
  }
  if (isKnown) {
    // Somebody deleted the folder: git's note of it would be in the way, its branch is kept.
    await git.run(['worktree', 'remove', '--force', path]);
  }
  const hasBranch = await git.succeeds(['show-ref', '--verify', '--quiet', `refs/heads/${branch}`]);
  const from = hasBranch ? [path, branch] : ['-b', branch, path, 'HEAD'];
  const added = await git.ask(['worktree', 'add', ...from]);
  return added.ok ? ok(null) : fail(`${added.error} Remove what is in the way, or choose another isolation.`);
}

async function entriesOf(git: Git): Promise<Result<readonly GitWorktree[], string>> {
  const text = await git.ask(['worktree', 'list', '--porcelain']);
  return text.ok ? ok(readWorktreeList(text.value)) : text;
}

/** All worktrees of ours, by name, and branches of ours that have none any more. */
export async function listWorktrees(git: Git): Promise<Result<readonly Worktree[], string>> {
  const listed = await entriesOf(git);
  const branches = await git.ask(['for-each-ref', '--format=%(refname:short)', `refs/heads/${BRANCH_PREFIX}`]);
  if (!listed.ok || !branches.ok) {
    return listed.ok ? (branches.ok ? ok([]) : branches) : listed;
  }
  const home = join(await canonicalPath(git.root), ...WORKTREES_DIR.split('/'));
  const placed = listed.value.flatMap((entry) => {
    const name = relative(home, entry.path);
    return name === '' || name.startsWith('..') || name.includes(sep) ? [] : [{ ...entry, name }];
  });
  const taken = new Set(listed.value.map(({ branch }) => branch));
  const left = branches.value.split('\n').filter((branch) => branch !== '' && !taken.has(branch));
  const all = await Promise.all([
    ...placed.map(async (entry) => describe(git, entry)),
    ...left.map(async (branch) =>
      describe(git, { name: branch.slice(BRANCH_PREFIX.length), path: null, branch, head: branch }),
    ),
  ]);
  return ok(all.sort((one, other) => (one.name < other.name ? -1 : 1)));
}

interface Found extends Omit<GitWorktree, 'path'> {
  readonly name: string;
  readonly path: string | null;
}

async function describe(git: Git, { name, path, branch, head }: Found): Promise<Worktree> {
  const isThere = path !== null && existsSync(path);
  const counted = await git.ask(['rev-list', '--count', `HEAD..${head}`, '--']);
  const changes = isThere ? await changesIn(git, path) : 0;
  return { name, branch, path: isThere ? path : null, commits: counted.ok ? Number(counted.value) : null, changes };
}

async function changesIn(git: Git, cwd: string): Promise<number | null> {
  const env = { GIT_OPTIONAL_LOCKS: '0' };
  const status = await git.ask(['status', '--porcelain', '-z', '--untracked-files=all'], { cwd, env });
  return status.ok ? countStatus(status.value) : null;
}

/** The worktree of this name; the error says how to find one. */
export async function findWorktree(git: Git, name: string): Promise<Result<Worktree, string>> {
  const all = await listWorktrees(git);
  if (!all.ok) {
    return all;
  }
  const found = all.value.find((one) => one.name === name);
  return found === undefined ? fail(`There is no worktree ${name}. List them with: rollcall worktree list`) : ok(found);
}
