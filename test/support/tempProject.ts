import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a real folder with these files (path → text) that is removed when the running test ends. Returns its path. */
export async function tempProject(files: Readonly<Record<string, string>> = {}, name = 'project'): Promise<string> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-test-')));
  onTestFinished(async () => rm(parent, { recursive: true, force: true }));
  const root = join(parent, name);
  await mkdir(root);
  await addFiles(root, files);
  return root;
}

/** Writes these files (path → text) below `root`, with the folders they need. */
export async function addFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

/** Gives a file the modification time `atMs`. */
export async function setModified(root: string, path: string, atMs: number): Promise<void> {
  await utimes(join(root, path), atMs / 1000, atMs / 1000);
}
