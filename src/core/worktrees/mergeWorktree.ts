import { fail, ok, type Result } from '../base/result';
import { conflictsIn } from '../protocol/worktrees/readGit';
import type { Worktree } from '../protocol/worktrees/worktree';
import { type Git, troubleText } from './git';
import { uncommittedText } from './uncommittedText';
import { findWorktree } from './worktreeStore';

/** What was merged. */
export interface MergedWorktree {
  readonly name: string;
  readonly branch: string;
  /** How many commits came in; 0 where there was nothing to merge. */
  readonly commits: number;
  /** The branch that they came into. */
  readonly into: string;
}

const SHOWN_FILES = 20;

/**
 * Merges the branch of a worktree into the project's own. It is tried beside both first: with a conflict nothing is changed
 * and the files are named. What is not committed there is committed first where that is wished, and refused otherwise.
 */
export async function mergeWorktree(
  git: Git,
  name: string,
  { commit }: { readonly commit: boolean },
): Promise<Result<MergedWorktree, string>> {
  const found = await findWorktree(git, name);
  if (!found.ok) {
    return found;
  }
  const { branch } = found.value;
  const into = await targetOf(git);
  if (branch === null || !into.ok) {
    return into.ok ? fail(`The worktree ${name} is on no branch. Make one there with: git switch -c <name>`) : into;
  }
  const committed = await commitWhereWished(git, found.value, commit);
  return committed.ok ? await mergeBranch(git, { name, branch, into: into.value }) : committed;
}

/** The project's own branch, which must be free for a merge. */
async function targetOf(git: Git): Promise<Result<string, string>> {
  if (await git.succeeds(['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'])) {
    return fail(
      'A merge is going on in this project. Finish it with git commit, or give it up with git merge --abort.',
    );
  }
  const head = await git.ask(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  return head.ok
    ? ok(head.value.trim())
    : fail('This project is on no branch. Check one out with: git switch <branch>');
}

async function commitWhereWished(
  git: Git,
  { name, path, changes }: Worktree,
  commit: boolean,
): Promise<Result<null, string>> {
  if (path === null || changes === 0) {
    return ok(null);
  }
  if (!commit) {
    const what = changes === null ? 'git cannot say what is not committed' : uncommittedText(changes);
    return fail(
      `In the worktree ${name} ${what}. Look at it in ${path}, then commit it there, or merge again with --commit.`,
    );
  }
  const staged = await git.ask(['add', '--all'], { cwd: path });
  // A hook that is meant for the person's own commits is not to keep the agent's work out of git.
  const message = `Work of ${name}`;
  return staged.ok ? await done(git.ask(['commit', '--no-verify', '--message', message], { cwd: path })) : staged;
}

async function mergeBranch(
  git: Git,
  { name, branch, into }: Omit<MergedWorktree, 'commits'>,
): Promise<Result<MergedWorktree, string>> {
  const counted = await git.ask(['rev-list', '--count', `HEAD..refs/heads/${branch}`, '--']);
  if (!counted.ok) {
    return counted;
  }
  const report = { name, branch, into, commits: Number(counted.value) };
  if (report.commits === 0) {
    return ok(report);
  }
  const tried = await tryMerge(git, branch);
  if (!tried.ok) {
    return tried;
  }
  const message = `Merge the work of ${name} (${branch})`;
  const merged = await git.ask(['merge', '--no-ff', '--message', message, `refs/heads/${branch}`]);
  if (merged.ok) {
    return ok(report);
  }
  // Files in the way are told before anything is changed; a hook may refuse behind that.
  await git.run(['merge', '--abort']);
  return fail(`${merged.error} Nothing was merged. Correct that and merge again.`);
}

/** Merges without touching anything. */
async function tryMerge(git: Git, branch: string): Promise<Result<null, string>> {
  const run = await git.run(['merge-tree', '--write-tree', '--name-only', '-z', 'HEAD', `refs/heads/${branch}`]);
  if (run.code === 0) {
    return ok(null);
  }
  if (run.code !== 1) {
    return fail(
      `${troubleText('merge-tree', run)} (git 2.38 or newer is needed.) Merge by hand with: git merge ${branch}`,
    );
  }
  const files = conflictsIn(run.stdout);
  const named = files.slice(0, SHOWN_FILES).join(', ') + (files.length > SHOWN_FILES ? ', …' : '');
  return fail(
    `${branch} and this project changed the same places, so nothing was merged: ${named}. Merge by hand with: git merge ${branch}`,
  );
}

async function done(asked: Promise<Result<unknown, string>>): Promise<Result<null, string>> {
  const answer = await asked;
  return answer.ok ? ok(null) : answer;
}
