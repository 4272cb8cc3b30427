// Everything that can be checked without running the product. `node scripts/check.mjs [STEP…]`
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMain } from './isMain.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');

/**
 * Longest first, so that the short ones fill the gaps. Lint looks again only at files that changed: a rule about types may miss
 * what a change elsewhere did to a file, until a fresh clone (CI) looks at everything.
 */
const steps = {
  lint: [
    'eslint/bin/eslint.js',
    '.',
    '--max-warnings',
    '0',
    '--cache',
    '--cache-strategy',
    'content',
    '--cache-location',
    'out/cache/eslint',
  ],
  types: ['typescript/bin/tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', 'out/cache/types'],
  layers: ['dependency-cruiser/bin/dependency-cruise.mjs', 'src', 'test', 'scripts', '--output-type', 'err'],
  'dead-code': ['knip/bin/knip.js', '--no-progress', '--treat-config-hints-as-errors'],
  format: ['@biomejs/biome/bin/biome', 'format', '--max-diagnostics=20', '.'],
  bundles: ['../scripts/checkBundles.mjs'],
  manifest: ['../scripts/checkManifest.mjs'],
};

export const stepNames = Object.keys(steps);

/** Runs the named steps, prints one line for each and the output of those that fail; resolves with the failed names. */
export async function check(names = stepNames) {
  const waiting = [...names];
  const failed = [];
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const { code, output, seconds } = await runStep(name);
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(5)} s`);
      if (code !== 0) {
        failed.push(name);
        console.log(output.trimEnd().replaceAll(/^/gm, '  '));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, lane));
  return failed;
}

async function runStep(name) {
  const [script, ...args] = steps[name];
  const started = performance.now();
  return await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(modules, script), ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, output, seconds: (performance.now() - started) / 1000 });
    });
  });
}

if (isMain(import.meta.url)) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in steps));
  if (unknown.length > 0) {
    console.error(`unknown step ${unknown.join(', ')}: use ${stepNames.join(', ')}`);
    process.exitCode = 2;
  } else {
    process.exitCode = (await check(names.length > 0 ? names : undefined)).length === 0 ? 0 : 1;
  }
}
