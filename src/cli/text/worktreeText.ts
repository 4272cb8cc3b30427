import type { MergedWorktree, RemovedWorktree, ShownWorktree } from '../../core/host/worktreeDesk';
import { plainLine } from '../../core/presenter/plainText';

/** What a worktree holds, in words, e.g. `2 commits to merge, 1 file not committed`. */
function worktreeWords({ commits, changes, busy, path }: ShownWorktree): string {
  const parts = [
    commits === null || changes === null ? 'git cannot say what it holds' : null,
    (commits ?? 0) > 0 ? `${count(commits ?? 0, 'commit')} to merge` : null,
    (changes ?? 0) > 0 ? `${count(changes ?? 0, 'file')} not committed` : null,
    path === null ? 'only its branch is left' : null,
    busy ? 'works now' : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'nothing to merge' : parts.join(', ');
}

function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** `worktree list`. No final newline. */
export function worktreeList(all: readonly ShownWorktree[]): string {
  if (all.length === 0) {
    return 'No agent or worker has a worktree. Give one of them "isolation": "worktree" in .vscode/workers.json.';
  }
  return all
    .map((one) => {
      const where = one.path === null ? '' : `\n    ${plainLine(one.path)}`;
      return `${plainLine(one.name)}  ${one.branch ?? 'no branch'}  ${worktreeWords(one)}${where}`;
    })
    .join('\n');
}

export function mergedText({ name, branch, commits, into }: MergedWorktree): string {
  return commits === 0
    ? `${into} has everything of ${branch} already.`
    : `Merged ${count(commits, 'commit')} of ${name} (${branch}) into ${into}.`;
}

export function removedText({ name, kept }: RemovedWorktree): string {
  return kept === null
    ? `Removed the worktree ${name}.`
    : `Removed the worktree ${name}. What was thrown away is kept in the commit ${kept}; git branch <name> ${kept.slice(0, 12)} brings it back.`;
}
