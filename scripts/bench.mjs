// Measures against the bars of the performance page: `node scripts/bench.mjs [--short] [NAME…]`. `--short` is CI's form:
// few rounds, and only a figure that is twice as bad as its bar fails.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { isMain } from './isMain.mjs';
import { loadTypeScript } from './loadTypeScript.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Builds, measures and resolves with the exit code. */
async function main(args) {
  const names = args.filter((arg) => arg !== '--short');
  const { benchNames, runBench } = await loadTypeScript('test/bench/runBench.ts');
  const unknown = names.filter((name) => !benchNames.includes(name));
  if (unknown.length > 0) {
    console.error(`unknown measurement ${unknown.join(', ')}: use ${benchNames.join(', ')}`);
    return 2;
  }
  await build();
  const missed = await runBench({
    short: args.includes('--short'),
    names,
    distDir: join(root, 'dist'),
    jsonFile: join(root, 'out', 'bench.json'),
  });
  return missed.length === 0 ? 0 : 1;
}

if (isMain(import.meta.url)) {
  process.chdir(root);
  process.exitCode = await main(process.argv.slice(2));
}
