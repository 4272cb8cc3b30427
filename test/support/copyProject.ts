import { cp, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const made = new Set(['node_modules', '.git', 'dist', 'out', 'sample', '.cache', '.vscode-test']);

/** A copy of the project's sources that a test may spoil; packages are shared with the original. */
export interface ProjectCopy {
  readonly folder: string;
  /** Removes the copy. */
  remove(): Promise<void>;
}

/** Copies the project that the tests run in, without what was built or installed, to a temporary folder. */
export async function copyProject(): Promise<ProjectCopy> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'rc-copy-')));
  const project = process.cwd();
  await cp(project, folder, {
    recursive: true,
    filter: (path) => path === project || !(made.has(basename(path)) || path.endsWith('.vsix')),
  });
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return { folder, remove: async () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}
