// One project of vitest as a test level: what passed, what failed, what was skipped and why.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode } from './runNode.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where more files than this fail it is no accident. */
const MAX_AGAIN = 6;

/**
 * Runs a project. Real processes on a machine that others use too: a file in which something failed is run once more, as a
 * whole and beside no other file, because the tests of a workbench build on each other; each is named with what it said the
 * first time.
 * ROLLCALL_NO_RETRY=1 allows none.
 */
export async function vitestLevel(project, { results, env = {}, retry = process.env.ROLLCALL_NO_RETRY !== '1' }) {
  const name = `${project}${Object.values(env).join('-')}`;
  const first = await runOnce(project, { report: join(results, `${name}.json`), env, files: [] });
  const again = (first.files ?? []).filter(hasFailed);
  if (!retry || again.length === 0 || again.length > MAX_AGAIN) {
    return countOf(first, 0);
  }
  for (const file of again) {
    console.log(`second try: ${pathOf(file)} (first: ${reasonOf(file)})`);
  }
  const report = join(results, `${name}-again.json`);
  const alone = { ...env, ROLLCALL_SECOND_TRY: '1' };
  const second = await runOnce(project, { report, env: alone, files: again.map(pathOf) });
  return second.files === null
    ? countOf(second, again.length)
    : countOf({ ...second, files: [...first.files.filter((file) => !hasFailed(file)), ...second.files] }, again.length);
}

async function runOnce(project, { report, env, files }) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await runNode([vitest, 'run', '--project', project, ...reporters, ...files], env);
  return { code, files: existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : null };
}

function countOf({ code, files }, retried) {
  if (files === null) {
    return { passed: 0, failed: 0, skipped: 0, retried, troubles: [`vitest ended with ${code} and left no report`] };
  }
  const tests = files.flatMap((file) => file.assertionResults);
  const count = (status) => tests.filter((test) => test.status === status).length;
  const [passed, failed] = [count('passed'), count('failed')];
  const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  for (const test of skipped) {
    console.log(`skipped: ${test.fullName}${test.meta?.skipReason === undefined ? '' : ` (${test.meta.skipReason})`}`);
  }
  const broken = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(isFailed));
  const troubles = broken.map((file) => `${pathOf(file)} could not run: ${reasonOf(file)}`);
  if (code !== 0 && failed === 0 && troubles.length === 0) {
    troubles.push(`vitest ended with ${code}`);
  }
  return { passed, failed, skipped: skipped.length, retried, troubles };
}

function hasFailed(file) {
  return file.status === 'failed';
}

function isFailed(test) {
  return test.status === 'failed';
}

/** The first thing that it said of its failure. */
function reasonOf(file) {
  const failed = file.assertionResults.find(isFailed);
  const text = failed === undefined ? file.message : `${failed.fullName}: ${failed.failureMessages[0]}`;
  return text.split('\n')[0];
}

function pathOf(file) {
  return relative(root, file.name);
}
