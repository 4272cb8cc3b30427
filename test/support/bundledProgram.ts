import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles an entry such as `src/worker/main.ts` for the tests of this file, so that they never run an old build. */
export function bundledProgram(entry: string): { readonly path: () => string } {
  let folder: string | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rollcall-bundle-'));
    await build({
      absWorkingDir: project,
      entryPoints: { program: entry },
      outdir: folder,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      mainFields: ['module', 'main'],
      logLevel: 'warning',
    });
  });
  afterAll(async () => {
    if (folder !== undefined) {
      await rm(folder, { recursive: true, force: true });
    }
  });
  return { path: () => join(folder ?? '', 'program.js') };
}
