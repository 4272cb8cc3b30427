/** A git worktree of an agent or worker, or the branch that is left of one. */
export interface Worktree {
  /** The agent's name or the worker's id. */
  readonly name: string;
  /** What is checked out in it; null where that is no branch. */
  readonly branch: string | null;
  /** Absolute; null where only the branch is left. */
  readonly path: string | null;
  /** Commits that the project's own branch does not have; null where git does not say. */
  readonly commits: number | null;
  /** Files that differ from the last commit there, new ones included; null where git does not say. */
  readonly changes: number | null;
}

export type FileChange = 'added' | 'changed' | 'removed';

/** Everything that a worktree has more than the project had when it was branched off, committed or not. */
export interface WorktreeDiff {
  readonly name: string;
  /** The worktree's folder; null where only the branch is left. */
  readonly path: string | null;
  /** The commit that both have. */
  readonly base: string;
  /** The newest commit of the branch. */
  readonly tip: string;
  /** Paths from the repository's top, with `/`. */
  readonly files: readonly { readonly path: string; readonly change: FileChange }[];
  /** As `git diff` prints it. */
  readonly text: string;
}

export const BRANCH_PREFIX = 'rollcall/';
/** Where worktrees lie, from the project's root. */
export const WORKTREES_DIR = '.keysarium/worktrees';

const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The branch and the folder of an agent or worker; null for a name that neither git nor a file system would take. */
export function worktreeNames(name: string): { readonly branch: string; readonly folder: string } | null {
  return PLAIN.test(name) ? { branch: `${BRANCH_PREFIX}${name}`, folder: `${WORKTREES_DIR}/${name}` } : null;
}
