// Builds and packs the extension: `node scripts/package.mjs [FILE]`, by default into rollcall.vsix.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { isMain } from './isMain.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Builds, packs into `file` and returns its path; throws with what vsce printed when that fails. */
export async function packageVsix(file = join(root, 'rollcall.vsix')) {
  await build();
  // Everything is bundled: nothing of node_modules belongs in it. The repository's address is no public one.
  const args = ['package', '--no-dependencies', '--no-rewrite-relative-links', '--out', file];
  const vsce = join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  const run = spawnSync(process.execPath, [vsce, ...args], { cwd: root, encoding: 'utf8' });
  if (run.status !== 0) {
    throw new Error(`vsce package failed\n${run.stdout}${run.stderr}`);
  }
  return file;
}

if (isMain(import.meta.url)) {
  const [file] = process.argv.slice(2);
  console.log(await packageVsix(file === undefined ? undefined : resolve(file)));
}
