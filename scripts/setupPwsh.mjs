// Finds a PowerShell for the tests (PATH first), or builds one from NuGet into the cache. `node scripts/setupPwsh.mjs`
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMain } from './isMain.mjs';
import { loadTypeScript } from './loadTypeScript.mjs';

const sources = fileURLToPath(new URL('../test/support/pwsh', import.meta.url));

/** Resolves with its path, or, having said why its tests will be skipped, with undefined. */
export async function setupPwsh() {
  const started = performance.now();
  const { installPwsh } = await loadTypeScript(join('test', 'support', 'pwsh', 'installPwsh.ts'));
  const say = (line) => console.log(`[${((performance.now() - started) / 1000).toFixed(1)} s] pwsh: ${line}`);
  const { path, trouble } = await installPwsh(sources, say);
  if (path === undefined) {
    say(`there will be no tests with it: ${trouble}`);
  }
  return path;
}

if (isMain(import.meta.url)) {
  const path = await setupPwsh();
  console.log(path ?? '');
  process.exitCode = path === undefined ? 1 : 0;
}
