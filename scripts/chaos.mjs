// The chaos suite by hand: `npm run chaos -- [--minutes N] [--seed S] [--steps N] [--rounds N]`, and that on messages:
// `npm run chaos -- messages [--seed S] [--rounds N] [--agents N] [--old N] [--messages N] [--kills N]`. Exit code 1 where
// a rule was broken.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { bundleChaosPrograms, bundleScript } from './chaosPrograms.mjs';
import { setupSystem } from './setupSystem.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rollcall-chaos-programs-'));
const isOnMessages = process.argv[2] === 'messages';
const [script, fixtures] = isOnMessages ? ['messageScript.ts', 'agents'] : ['chaosScript.ts', 'workers'];
try {
  if (!isOnMessages) {
    setupSystem(['clock']);
  }
  await bundleChaosPrograms(folder);
  await esbuild.build(bundleScript({ chaos: join(root, 'test', 'chaos', script) }, folder));
  const rest = process.argv.slice(isOnMessages ? 3 : 2);
  const args = [join(folder, 'chaos.js'), folder, join(root, 'test', 'fixtures', fixtures), ...rest];
  const run = spawn(process.execPath, args, { stdio: 'inherit' });
  // Ctrl-C reaches the run as well, which ends what it started; its end is waited for.
  process.on('SIGINT', () => undefined);
  process.exitCode = await new Promise((resolve) => run.once('close', (code) => resolve(code ?? 1)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
