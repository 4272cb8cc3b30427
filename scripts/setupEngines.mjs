// Installs the pinned claude, codex and opencode that the engine tests run into the cache. `node scripts/setupEngines.mjs`
import { join } from 'node:path';
import { isMain } from './isMain.mjs';
import { loadTypeScript } from './loadTypeScript.mjs';

/** Resolves with the folder of their programs, or, having said why their tests will be skipped, with undefined. */
export async function setupEngines() {
  const started = performance.now();
  const { installEngines } = await loadTypeScript(join('test', 'support', 'engines', 'installEngines.ts'));
  const say = (line) => console.log(`[${((performance.now() - started) / 1000).toFixed(1)} s] engines: ${line}`);
  const { bin, trouble } = await installEngines(say);
  if (bin === undefined) {
    say(`there will be no tests with them: ${trouble}`);
  }
  return bin;
}

if (isMain(import.meta.url)) {
  const bin = await setupEngines();
  console.log(bin ?? '');
  process.exitCode = bin === undefined ? 1 : 0;
}
