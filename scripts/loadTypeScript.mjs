import { mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Imports a TypeScript module of the project (path relative to it) from a plain script: Node 20 can't read TypeScript, and
 * what the tests and the scripts both use is written once, typed. Packages stay external.
 */
export async function loadTypeScript(path) {
  const folder = join(root, 'out', 'scripts');
  const outfile = join(folder, `${basename(path, '.ts')}.${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: [path],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}
