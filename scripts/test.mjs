// `npm test`: every level that CI requires, or those named: `node scripts/test.mjs [LEVEL…]`. The last line sums them up.
// ROLLCALL_UI_TARGETS (default `current,oldest`) says on which VS Code versions the UI level runs.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { check, stepNames } from './check.mjs';
import { isMain } from './isMain.mjs';
import { runNode } from './runNode.mjs';
import { setupEngines } from './setupEngines.mjs';
import { setupHosts } from './setupHost.mjs';
import { setupPwsh } from './setupPwsh.mjs';
import { setupSystem } from './setupSystem.mjs';
import { vitestLevel } from './vitestLevel.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const results = join(root, 'out', 'results');
const uiTargets = (process.env.ROLLCALL_UI_TARGETS ?? 'current,oldest').split(',').filter((target) => target !== '');

/** In the order in which they run: the quickest verdict first. */
const levels = {
  check: runCheck,
  unit: async () => vitestLevel('unit', { results, retry: false }),
  integration: async () => vitestLevel('integration', { results }),
  chaos: async () => vitestLevel('chaos', { results }),
  vscode: runSuite,
  ui: runUi,
};
const needsPwsh = ['integration', 'chaos'];
const needsEngines = ['integration', 'vscode', 'ui'];
const needsHost = ['integration', 'chaos', 'vscode', 'ui'];

async function runCheck() {
  const failed = await check();
  return { passed: stepNames.length - failed.length, failed: failed.length, skipped: 0, troubles: [] };
}

async function runSuite() {
  const { code, output } = await runNode([join(root, 'scripts', 'runVscodeTests.mjs')]);
  const last = /^(\d+) passed, (\d+) failed, (\d+) skipped, (\d+) run twice$/m.exec(output);
  const [passed, failed, skipped, retried] = (last ?? [0, 0, 0, 0, 0]).slice(1).map(Number);
  const troubles = code !== 0 && failed === 0 ? [`the suite's run ended with ${code}: see its output above`] : [];
  return { passed, failed, skipped, retried, troubles };
}

async function runUi() {
  const sum = { passed: 0, failed: 0, skipped: 0, retried: 0, troubles: [] };
  for (const target of uiTargets) {
    add(sum, await vitestLevel('ui', { results, env: { ROLLCALL_UI_TARGET: target } }));
  }
  return sum;
}

function add(sum, result) {
  sum.passed += result.passed;
  sum.failed += result.failed;
  sum.skipped += result.skipped;
  sum.retried += result.retried ?? 0;
  sum.troubles.push(...result.troubles);
}

/** Installs and builds what the levels need; false when something is missing that this machine's user must install. */
async function prepare(names) {
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  if (needsHost.some((level) => names.includes(level))) {
    if (!setupSystem()) {
      return false;
    }
    // PowerShell and the engines are made ready beside the hosts; without them their tests are skipped, and say why.
    const needs = (levels) => levels.some((level) => names.includes(level));
    await Promise.all([
      setupHosts(),
      needs(needsPwsh) ? setupPwsh() : undefined,
      needs(needsEngines) ? setupEngines() : undefined,
    ]);
  }
  await build();
  return true;
}

/** A level that finds no test, or whose tool breaks, has failed: one more on the count. */
async function runLevel(name) {
  console.log(`\n━━ ${name}`);
  const result = await levels[name]().catch((error) => ({
    passed: 0,
    failed: 0,
    skipped: 0,
    troubles: [String(error)],
  }));
  if (result.passed + result.failed === 0 && result.troubles.length === 0) {
    result.troubles.push('ran no test');
  }
  for (const trouble of result.troubles) {
    console.log(`${name}: ${trouble}`);
  }
  return { ...result, failed: result.failed + result.troubles.length };
}

async function main(names) {
  const started = performance.now();
  const sum = { passed: 0, failed: 0, skipped: 0, retried: 0, troubles: [] };
  const lines = [];
  if (await prepare(names)) {
    for (const name of names) {
      const from = performance.now();
      const result = await runLevel(name);
      add(sum, result);
      lines.push(`${name.padEnd(12)} ${summary(result)}, ${seconds(from)}`);
    }
  } else {
    sum.failed += 1;
  }
  console.log(`\n${lines.join('\n')}\n${'all'.padEnd(12)} ${seconds(started)}\n${summary(sum)}`);
  return sum.failed === 0 ? 0 : 1;
}

function summary({ passed, failed, skipped, retried = 0 }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped${retried === 0 ? '' : `, ${retried} run twice`}`;
}

function seconds(from) {
  return `${((performance.now() - from) / 1000).toFixed(0)} s`;
}

if (isMain(import.meta.url)) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in levels));
  if (unknown.length > 0) {
    console.error(`unknown level ${unknown.join(', ')}: use ${Object.keys(levels).join(', ')}`);
    process.exitCode = 2;
  } else {
    process.exitCode = await main(
      names.length > 0 ? Object.keys(levels).filter((name) => names.includes(name)) : Object.keys(levels),
    );
  }
}
