import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { identityOf } from '../../src/core/system/processIdentity';
import { endKeepersOf } from '../support/endKeepersOf';
import { eventually } from '../support/keeperRig';
import { killIdentity } from '../support/keptWorker';
import { useScript } from '../support/scriptProcess';
import { tempProject } from '../support/tempProject';
import { openTestHost, untilSnapshot } from '../support/testHost';
import { registryOf, started, workerFolders, workersDirOf } from '../support/workersProject';

/** A leader that is killed between the entry in the registry and the keeper. */
const openWindow = useScript('test/support/hostScript.ts');

/** A keeper that never comes to anything; `pid` in the project names it. */
const hangingKeeper = (root: string): string =>
  `require('node:fs').writeFileSync(${JSON.stringify(join(root, 'pid'))}, String(process.pid)); setInterval(() => {}, 1000);`;

async function killedBeforeTheSpawn(config: object = {}): Promise<{ readonly root: string; readonly id: string }> {
  const types = { quick: { description: 'ends at once', isolation: 'audit', command: ['node', '-e', '0'] } };
  const root = await tempProject({ '.vscode/workers.json': JSON.stringify({ version: 1, types, ...config }) });
  onTestFinished(async () => endKeepersOf(root));
  mkdirSync(join(root, 'dist'));
  writeFileSync(join(root, 'dist', 'keeper.js'), hangingKeeper(root));
  const window = openWindow({ args: [root, join(root, 'dist')] });
  window.say('start quick');
  const keeper = await eventually(async () => {
    const identity = await identityOf(Number(readFileSync(join(root, 'pid'), 'utf8')));
    expect(identity).not.toBeNull();
    return identity;
  });
  await window.kill();
  if (keeper !== null) {
    await killIdentity(keeper);
  }
  const [id = ''] = workerFolders(root);
  expect(registryOf(root).get(id)).toMatchObject({ status: 'starting' });
  return { root, id };
}

test('the next window ends that start as never started, says why, and its slot is free', async () => {
  const { root, id } = await killedBeforeTheSpawn({ maxConcurrent: 1 });
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  await untilSnapshot(host, ({ workers }) => workers[0]?.entry.status === 'failed');
  const { workers } = await host.refresh();
  expect(workers).toMatchObject([{ workerId: id, exit: { class: 'never started' }, stop: null }]);
  expect(registryOf(root).get(id)).toMatchObject({ status: 'failed' });
  expect(readFileSync(join(workersDirOf(root), id, 'error.log'), 'utf8')).toContain('was never started');
  await started(host, 'quick');
});

test('a single command finds the slot free as well, and ends that start behind itself', async () => {
  const { root, id } = await killedBeforeTheSpawn({ maxConcurrent: 1 });
  const terminal = await openTestHost(root, { surface: 'cli' });
  const next = await started(terminal, 'quick');
  await terminal.waitForEnd(next, AbortSignal.timeout(30_000));
  await eventually(async () => {
    const { workers } = await terminal.refresh();
    expect(workers.find(({ workerId }) => workerId === id)).toMatchObject({ exit: { class: 'never started' } });
  });
});

test('a start that cannot be made leaves no claim behind', async () => {
  const types = { absent: { description: 'no such program', command: ['rollcall-no-such-program'] } };
  const root = await tempProject({
    '.vscode/workers.json': JSON.stringify({ version: 1, types }),
    'dist/keeper.js': '',
  });
  const host = await openTestHost(root, { distDir: join(root, 'dist') });
  expect(await host.start({ type: 'absent', requestedBy: 'cli' })).toMatchObject({ error: { code: 'spawn-failed' } });
  const [id = ''] = workerFolders(root);
  expect(existsSync(join(workersDirOf(root), id, 'keeper.json'))).toBe(false);
  expect((await host.look()).workers).toMatchObject([{ workerId: id, state: 'failed' }]);
});
