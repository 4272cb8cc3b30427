import { fail, ok, type Result } from '../base/result';
import { readNameStatus } from '../protocol/worktrees/readGit';
import type { WorktreeDiff } from '../protocol/worktrees/worktree';
import type { Git } from './git';
import { type ScratchIndex, withScratchIndex } from './scratchIndex';
import { findWorktree } from './worktreeStore';

/** No program of the project's configuration takes part in a look. */
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];

/** What a worktree has more than the project had when it was branched off, committed or not. Changes nothing. */
export async function diffWorktree(git: Git, name: string): Promise<Result<WorktreeDiff, string>> {
  const found = await findWorktree(git, name);
  if (!found.ok) {
    return found;
  }
  const { path, branch } = found.value;
  const at = path === null ? ['rev-parse', '--verify', `refs/heads/${branch ?? ''}`] : ['rev-parse', 'HEAD'];
  const tip = await git.ask(at, path === null ? {} : { cwd: path });
  if (!tip.ok) {
    return tip;
  }
  const base = await git.ask(['merge-base', 'HEAD', tip.value.trim()]);
  if (!base.ok) {
    return fail(`The branch of ${name} has no commit in common with the project. Compare it by hand with: git log`);
  }
  const ends = { name, path, base: base.value.trim(), tip: tip.value.trim() };
  return path === null
    ? await diffOf(git, ends, [ends.base, ends.tip], {})
    : await withScratchIndex(git, path, async (index) => diffOf(git, ends, ['--cached', ends.base], index));
}

/** A file as a commit has it. */
export async function versionOf(
  git: Git,
  { commit, file }: { readonly commit: string; readonly file: string },
): Promise<Result<string, string>> {
  return /^[0-9a-f]{40,64}$/.test(commit)
    ? await git.ask(['cat-file', 'blob', `${commit}:${file}`])
    : fail(`${JSON.stringify(commit)} is no commit.`);
}

async function diffOf(
  git: Git,
  ends: Pick<WorktreeDiff, 'name' | 'path' | 'base' | 'tip'>,
  between: readonly string[],
  index: Partial<ScratchIndex>,
): Promise<Result<WorktreeDiff, string>> {
  const names = await git.ask([...DIFF, '--name-status', '-z', ...between], index);
  const text = await git.ask([...DIFF, ...between], index);
  if (!names.ok || !text.ok) {
    return names.ok ? (text.ok ? fail('') : text) : names;
  }
  return ok({ ...ends, files: readNameStatus(names.value), text: text.value });
}
