import { join, resolve } from 'node:path';
import type { EngineRequest } from './engine';

/** The folders, absolute, that a run may write: its own, its worktree, and what its type names. */
export function writableFolders({ folder, root, type, hasWorktree }: EngineRequest): readonly string[] {
  return [folder, ...(hasWorktree === true ? [root] : []), ...type.mayWrite.map((path) => resolve(join(root, path)))];
}
