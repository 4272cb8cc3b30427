import type { FileChange } from './worktree';

/** One entry of `git worktree list --porcelain`. */
export interface GitWorktree {
  readonly path: string;
  readonly head: string;
  /** Null where HEAD is no branch. */
  readonly branch: string | null;
}

const HEADS = 'refs/heads/';

/** Reads `git worktree list --porcelain`; entries without a commit are left out. */
export function readWorktreeList(text: string): readonly GitWorktree[] {
  return text.split(/\r?\n\r?\n/).flatMap((block) => {
    const lines = block.split(/\r?\n/);
    const valueOf = (key: string): string | undefined =>
      lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
    const [path, head, ref = ''] = [valueOf('worktree'), valueOf('HEAD'), valueOf('branch')];
    const branch = ref.startsWith(HEADS) ? ref.slice(HEADS.length) : null;
    return path === undefined || head === undefined ? [] : [{ path, head, branch }];
  });
}

/** Reads `git diff --name-status --no-renames -z`. */
export function readNameStatus(text: string): readonly { readonly path: string; readonly change: FileChange }[] {
  const parts = text.split('\0');
  const files: { path: string; change: FileChange }[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    files.push({ path: parts[index + 1] ?? '', change: changeOf(parts[index] ?? '') });
  }
  return files;
}

function changeOf(letter: string): FileChange {
  switch (letter) {
    case 'A':
      return 'added';
    case 'D':
      return 'removed';
    default:
      return 'changed';
  }
}

/** How many files `git status --porcelain -z` names; the second name of a renamed one does not count. */
export function countStatus(text: string): number {
  const parts = text.split('\0').filter((part) => part !== '');
  let count = 0;
  for (let index = 0; index < parts.length; index += 1) {
    count += 1;
    index += /^[RC]|^.[RC]/.test(parts[index] ?? '') ? 1 : 0;
  }
  return count;
}

/** The files in conflict that `git merge-tree --write-tree --name-only -z` names. */
export function conflictsIn(text: string): readonly string[] {
  const [, ...parts] = text.split('\0');
  const end = parts.indexOf('');
  return [...new Set(end === -1 ? parts : parts.slice(0, end))];
}
