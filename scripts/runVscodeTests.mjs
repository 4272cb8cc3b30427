// Runs test/vscode/suite inside a real VS Code: the desktop one where there is one (VSCODE_EXECUTABLE, or a download), the
// server host elsewhere. `node scripts/runVscodeTests.mjs [current] [oldest]`
import { spawnSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { isMain } from './isMain.mjs';
import { loadTypeScript } from './loadTypeScript.mjs';
import { moveToNobodysHome } from './nobodysHome.mjs';
import { prepareSample } from './sample.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const suiteFolder = join(root, 'out', 'vscode-suite');

/** Runs the suite on each of `targets` and resolves with counts and what went wrong. dist/ must be built. */
export async function runVscodeTests(targets = ['current', 'oldest']) {
  await bundleSuite();
  const total = { passed: 0, failed: 0, skipped: 0, retried: 0, troubles: [] };
  for (const target of targets) {
    const result = await runOn(target);
    total.passed += result.passed.length;
    total.failed += result.failed.length;
    total.skipped += result.skipped.length;
    total.retried += result.retried.length;
    for (const title of result.retried) {
      console.log(`second try on ${target}: ${title}`);
    }
    for (const title of result.skipped) {
      console.log(`skipped on ${target}: ${title}`);
    }
    if (result.trouble !== undefined) {
      total.troubles.push(`VS Code ${target}: ${result.trouble}`);
    }
  }
  return total;
}

async function bundleSuite() {
  const sources = join(root, 'test', 'vscode', 'suite');
  const tests = readdirSync(sources).filter((name) => name.endsWith('.test.ts'));
  if (tests.length === 0) {
    throw new Error('test/vscode/suite has no *.test.ts');
  }
  rmSync(suiteFolder, { recursive: true, force: true });
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['index.ts', ...tests].map((name) => join(sources, name)),
    outdir: suiteFolder,
    bundle: true,
    external: ['vscode', 'mocha'],
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
}

async function runOn(target) {
  const workspace = mkdtempSync(join(tmpdir(), 'rc-workspace-'));
  try {
    await prepareSample(workspace);
    const suite = join(suiteFolder, 'index.js');
    const run = { extension: root, suite, workspace, artifacts: join(root, 'out', 'vscode') };
    const desktop = await desktopFor(target);
    if (desktop.executable !== undefined) {
      console.log(`VS Code ${target}: desktop, ${desktop.why}`);
      const { runSuiteOnDesktop } = await loadTypeScript('test/support/vscode/runSuiteOnDesktop.ts');
      return await runSuiteOnDesktop(desktop.executable, run);
    }
    console.log(`VS Code ${target}: server host (${desktop.why})`);
    const { runSuiteOnServer } = await loadTypeScript('test/support/vscode/runSuiteOnServer.ts');
    return await runSuiteOnServer(target, run);
  } finally {
    rmSync(workspace, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** A desktop VS Code of this target, or why there is none. */
async function desktopFor(target) {
  const given = process.env.VSCODE_EXECUTABLE;
  if (given !== undefined && target === 'current') {
    if (!existsSync(given)) {
      throw new Error(`VSCODE_EXECUTABLE names ${given}, which does not exist`);
    }
    return { executable: given, why: 'VSCODE_EXECUTABLE' };
  }
  const noDownload = await lookup('update.code.visualstudio.com').then(
    () => undefined,
    (error) => error.code,
  );
  if (noDownload !== undefined) {
    return { why: `no desktop VS Code, and none to download: ${noDownload}` };
  }
  const { downloadAndUnzipVSCode } = await import('@vscode/test-electron');
  const { hostTargets } = await loadTypeScript('test/support/vscode/hostTargets.ts');
  const version = hostTargets[target].vscode;
  return await downloadAndUnzipVSCode({ version, timeout: 60_000 }).then(
    (executable) => ({ executable, why: `downloaded ${version}` }),
    (error) => ({ why: `the download of ${version} failed: ${error.message}` }),
  );
}

/** A desktop VS Code on a machine without a display runs under Xvfb: the whole script is started again in it. */
async function startedUnderXvfb() {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const desktop = process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY ? await desktopFor('current') : {};
  if (desktop.executable === undefined) {
    return false;
  }
  const run = spawnSync('xvfb-run', ['-a', process.execPath, ...process.argv.slice(1)], { stdio: 'inherit' });
  if (run.error !== undefined) {
    throw new Error(`a desktop VS Code needs a display: install xvfb (${run.error.message})`);
  }
  process.exitCode = run.status ?? 1;
  return true;
}

if (isMain(import.meta.url) && !(await startedUnderXvfb())) {
  moveToNobodysHome();
  const targets = process.argv.slice(2);
  const { passed, failed, skipped, retried, troubles } = await runVscodeTests(targets.length > 0 ? targets : undefined);
  for (const trouble of troubles) {
    console.error(trouble);
  }
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped, ${retried} run twice`);
  process.exitCode = failed === 0 && troubles.length === 0 ? 0 : 1;
}
