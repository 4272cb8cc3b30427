import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ok, type Result } from '../base/result';
import type { Git } from './git';

/** What git needs to look at a worktree as if all of it were staged. */
export interface ScratchIndex {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Stages everything of a worktree, new files included, into a copy of its index: neither the worktree nor its own index sees anything. */
export async function withScratchIndex<T>(
  git: Git,
  cwd: string,
  use: (index: ScratchIndex) => Promise<Result<T, string>>,
): Promise<Result<T, string>> {
  const own = await git.ask(['rev-parse', '--git-path', 'index'], { cwd });
  if (!own.ok) {
    return own;
  }
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-index-'));
  try {
    const file = join(folder, 'index');
    // A worktree in which nothing was ever checked out has none.
    await copyFile(resolve(cwd, own.value.trim()), file).catch(() => undefined);
    const index = { cwd, env: { GIT_INDEX_FILE: file } };
    const staged = await git.ask(['add', '--all'], index);
    return staged.ok ? await use(index) : staged;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A commit of everything in a worktree that stands on no branch; its id. */
export async function scratchCommit(git: Git, cwd: string, message: string): Promise<Result<string, string>> {
  return await withScratchIndex(git, cwd, async (index) => {
    const tree = await git.ask(['write-tree'], index);
    if (!tree.ok) {
      return tree;
    }
    const made = await git.ask(['commit-tree', tree.value.trim(), '-p', 'HEAD', '-m', message], {
      cwd,
      env: OURSELVES,
    });
    return made.ok ? ok(made.value.trim()) : made;
  });
}

/** Who saves what a person throws away: git may not know the person. */
const OURSELVES = {
  GIT_AUTHOR_NAME: 'Rollcall',
  GIT_AUTHOR_EMAIL: 'rollcall@localhost',
  GIT_COMMITTER_NAME: 'Rollcall',
  GIT_COMMITTER_EMAIL: 'rollcall@localhost',
};
