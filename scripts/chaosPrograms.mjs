// Bundles what the chaos suite runs into a folder of its own, so that a build in between changes nothing under a run.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { bundleOptions } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Writes `dist/` with the product's programs, and `window.js` and `leader.js`, windows without VS Code, into `folder`. */
export async function bundleChaosPrograms(folder) {
  const dist = join(folder, 'dist');
  const products = ['agent', 'cli', 'cli-program', 'cron', 'keeper', 'worker'].map((name) => ({
    ...bundleOptions(name),
    outdir: dist,
  }));
  const windows = {
    window: join(root, 'test', 'support', 'hostScript.ts'),
    leader: join(root, 'test', 'chaos', 'leaderScript.ts'),
  };
  await Promise.all([...products, bundleScript(windows, folder)].map(async (options) => esbuild.build(options)));
}

/** What esbuild is told to bundle a script of the tests. */
export function bundleScript(entryPoints, outdir) {
  return {
    absWorkingDir: root,
    entryPoints,
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    logLevel: 'warning',
  };
}
