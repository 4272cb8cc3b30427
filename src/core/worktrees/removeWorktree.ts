import { join } from 'node:path';
import { fail, ok, type Result } from '../base/result';
import { BRANCH_PREFIX, type Worktree, WORKTREES_DIR } from '../protocol/worktrees/worktree';
import { canonicalPath } from '../system/canonicalPath';
import type { Git } from './git';
import { scratchCommit } from './scratchIndex';
import { uncommittedText } from './uncommittedText';
import { findWorktree } from './worktreeStore';

export interface RemovedWorktree {
  readonly name: string;
  /** The commit that holds what was thrown away; null where nothing was. */
  readonly kept: string | null;
}

const KEPT_REFS = 'refs/rollcall/removed/';

/**
 * Removes a worktree and its branch. What is neither committed nor merged is in the way, unless it is to be thrown away;
 * then a commit of it stays in the repository, which the answer names.
 */
export async function removeWorktree(
  git: Git,
  name: string,
  { discard, stamp }: { readonly discard: boolean; readonly stamp: string },
): Promise<Result<RemovedWorktree, string>> {
  const found = await findWorktree(git, name);
  if (!found.ok) {
    return found;
  }
  const worktree = found.value;
  const isClean = worktree.changes === 0 && worktree.commits === 0;
  if (!isClean && !discard) {
    return fail(inTheWay(worktree));
  }
  const kept = isClean ? ok(null) : await keep(git, worktree, `${KEPT_REFS}${name}-${stamp}`);
  if (!kept.ok) {
    return kept;
  }
  // What stands on another branch was saved from there, and git decides about ours.
  const isSaved = kept.value !== null && worktree.branch === BRANCH_PREFIX + name;
  const removed = await takeAway(git, worktree, { discard, isSaved });
  return removed.ok ? ok({ name, kept: kept.value }) : removed;
}

function inTheWay({ name, changes, commits, path }: Worktree): string {
  const unknown = changes === null || commits === null ? ['git cannot say what it holds'] : [];
  const files = (changes ?? 0) > 0 ? [uncommittedText(changes ?? 0)] : [];
  const ahead =
    (commits ?? 0) > 0 ? [commits === 1 ? '1 commit is not merged' : `${commits ?? 0} commits are not merged`] : [];
  const where = path === null ? '' : ` in ${path}`;
  return `The worktree ${name} stays, because ${[...unknown, ...files, ...ahead].join(' and ')}${where}. Merge it with: rollcall worktree merge ${name}${changes === 0 ? '' : ' --commit'}. Or throw it away with: rollcall worktree remove ${name} --discard`;
}

/** Saves everything under a name of ours before it goes. */
async function keep(git: Git, { name, path, branch }: Worktree, ref: string): Promise<Result<string, string>> {
  const saved =
    path === null
      ? await git.ask(['rev-parse', '--verify', `refs/heads/${branch ?? ''}`])
      : await scratchCommit(git, path, `What was thrown away of ${name}`);
  if (!saved.ok) {
    return fail(`Nothing was removed, because it could not be saved first. ${saved.error}`);
  }
  const commit = saved.value.trim();
  const named = await git.ask(['update-ref', ref, commit]);
  return named.ok ? ok(commit) : named;
}

async function takeAway(
  git: Git,
  { name, path }: Worktree,
  { discard, isSaved }: { readonly discard: boolean; readonly isSaved: boolean },
): Promise<Result<null, string>> {
  if (path === null) {
    // Git's note of a folder that somebody deleted would keep the branch.
    const gone = join(await canonicalPath(git.root), ...WORKTREES_DIR.split('/'), name);
    await git.run(['worktree', 'remove', '--force', gone]);
  } else {
    const removed = await git.ask(['worktree', 'remove', ...(discard ? ['--force'] : []), path]);
    if (!removed.ok) {
      return removed;
    }
  }
  const branch = `${BRANCH_PREFIX}${name}`;
  const isThere = await git.succeeds(['show-ref', '--verify', '--quiet', `refs/heads/${branch}`]);
  if (!isThere) {
    return ok(null);
  }
  // Without leave git keeps a branch that is not merged: the agent may have gone on with another one.
  const gone = await git.ask(['branch', isSaved ? '-D' : '-d', branch]);
  return gone.ok ? ok(null) : fail(`The worktree is gone, its branch stays. ${gone.error}`);
}
