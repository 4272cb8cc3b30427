import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exclusively } from '../support/vscode/exclusively';
import { runSuiteOnServer, type SuiteRun } from '../support/vscode/runSuiteOnServer';
import { suiteVariables } from '../support/vscode/suiteResult';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rc-testhost-'));
  const manifest = { name: 'empty', publisher: 'test', version: '1.0.0', engines: { vscode: '^1.100.0' } };
  mkdirSync(join(folder, 'extension'));
  writeFileSync(join(folder, 'extension', 'package.json'), JSON.stringify(manifest));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the launcher of suites in a real VS Code', () => {
  it('takes a suite whose extension host was killed for trouble, not for success', async () => {
    const result = await runSuiteOnServer('current', suite('process.kill(process.pid, "SIGKILL");'));
    expect(result).toEqual({
      passed: [],
      failed: [],
      skipped: [],
      retried: [],
      trouble: 'the suite did not come to its end',
    });
  });

  it('takes a suite that ran no test for trouble', async () => {
    const report = '{ "passed": [], "failed": [], "skipped": [] }';
    const write = `require('node:fs').writeFileSync(process.env.${suiteVariables.report}, '${report}');`;
    const result = await runSuiteOnServer('current', suite(write));
    expect(result.trouble).toBe('the suite ran no test');
  });
});

describe('exclusively', () => {
  it('lets one work at a time under one name', async () => {
    const name = `rollcall-test-${process.pid}-turns`;
    const steps: string[] = [];
    const work = (who: string) => async (): Promise<void> => {
      steps.push(`${who} begins`);
      await new Promise(setImmediate);
      steps.push(`${who} ends`);
    };
    await Promise.all(['one', 'two', 'three'].map(async (who) => exclusively(name, work(who))));
    const owners = steps.map((step) => step.split(' ')[0]);
    expect(steps).toHaveLength(6);
    expect([owners[0], owners[2], owners[4]]).toEqual([owners[1], owners[3], owners[5]]);
  });

  it('passes to the next when its owner is killed', async () => {
    const name = `rollcall-test-${process.pid}-killed`;
    const loader = pathToFileURL(join(process.cwd(), 'scripts', 'loadTypeScript.mjs')).href;
    const script = `
      const { loadTypeScript } = await import('${loader}');
      const { exclusively } = await loadTypeScript('test/support/vscode/exclusively.ts');
      await exclusively('${name}', async () => {
        console.log('held');
        await new Promise((resolve) => setInterval(resolve, 2 ** 30));
      });`;
    const args = ['--input-type=module', '--eval', script];
    const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(owner.stdout, 'data');
    const next = exclusively(name, async () => Promise.resolve('mine'));
    owner.kill('SIGKILL');
    expect(await next).toBe('mine');
  });
});

/** A suite that does nothing but `body`, in an extension host with an empty extension. */
function suite(body: string): SuiteRun {
  const file = join(folder, 'suite.js');
  writeFileSync(file, `exports.run = async () => { ${body} };`);
  return { extension: join(folder, 'extension'), suite: file, workspace: folder, artifacts: join(folder, 'artifacts') };
}
