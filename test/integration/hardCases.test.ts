import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FleetSnapshot } from '../../src/core/protocol/snapshot';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { endKeepersOf } from '../support/endKeepersOf';
import { type ScriptProcess, useScript } from '../support/scriptProcess';
import { ShiftedClock } from '../support/shiftedClock';
import { tempProject } from '../support/tempProject';
import { distDir, openTestHost, untilSnapshot } from '../support/testHost';
import { started, workerFolders, workersDirOf } from '../support/workersProject';

/** Cases that users of such tools really hit, seen through a whole host. */
const openWindow = useScript('test/support/hostScript.ts');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const hangJs = `
const { Worker } = require('node:worker_threads');
new Worker(\`
  const { renameSync, writeFileSync } = require('node:fs');
  const path = process.env.ROLLCALL_WORKER_DIR + '/status.json';
  let items_processed = 0;
  setInterval(() => {
    items_processed += 1;
    writeFileSync(path + '.own', JSON.stringify({ status: 'running', progress: { items_processed } }));
    renameSync(path + '.own', path);
  }, 20);\`, { eval: true }).once('online', () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

const TYPES = {
  quick: { description: 'ends at once', command: ['node', '-e', 'console.log("done")'] },
  silent: { description: 'says nothing', command: ['sleep', '1000'], graceSeconds: 1 },
  absent: { description: 'no such program', command: ['rollcall-no-such-program'] },
  hangs: { description: 'its loop hangs, a thread beats', command: ['node', 'hang.js'], graceSeconds: 1 },
  flood: { description: 'floods', command: ['sh', '-c', 'head -c 2000000000 /dev/zero | tr "\\\\0" x'] },
};

async function project(name?: string, maxConcurrent = 3): Promise<string> {
  const files = {
    '.vscode/workers.json': JSON.stringify({ version: 1, maxConcurrent, types: TYPES }),
    'hang.js': hangJs,
  };
  const root = await tempProject(files, name);
  onTestFinished(async () => endKeepersOf(root));
  return root;
}

async function untilReady(window: ScriptProcess): Promise<void> {
  while (!(await window.line()).includes('"ready"')) {
    // Snapshots before the lease is taken.
  }
}

async function nextSnapshot(window: ScriptProcess, wanted: (seen: FleetSnapshot) => boolean): Promise<FleetSnapshot> {
  for (;;) {
    const { snapshot } = JSON.parse(await window.line()) as { snapshot?: FleetSnapshot };
    if (snapshot !== undefined && wanted(snapshot)) {
      return snapshot;
    }
  }
}

function identitiesIn(root: string): readonly string[] {
  return workerFolders(root).map((id) => {
    const { keeper, process: own } = JSON.parse(readFileSync(join(workersDirOf(root), id, 'keeper.json'), 'utf8')) as {
      keeper: object;
      process: object;
    };
    return JSON.stringify([id, keeper, own]);
  });
}

test('seven killed windows over seventeen live workers: the same keepers and processes, nothing started or stopped', async () => {
  const root = await project(undefined, 17);
  const terminal = await openTestHost(root, { surface: 'cli' });
  for (let worker = 0; worker < 17; worker += 1) {
    await started(terminal, 'silent');
  }
  const before = identitiesIn(root);
  for (let life = 0; life < 7; life += 1) {
    const window = openWindow({ args: [root, distDir] });
    await nextSnapshot(window, ({ leader }) => leader?.self === true);
    await window.kill();
  }
  const { workers } = await terminal.look();
  expect(workers.map(({ state }) => state)).toEqual(Array.from({ length: 17 }, () => 'running'));
  expect(identitiesIn(root)).toEqual(before);
});

test.each([
  ['four minutes without a sign of life', 4 * MINUTE],
  ['a clock that jumps eight hours ahead, as after a sleep', 8 * HOUR],
  ['a clock that is set back by an hour', -HOUR],
])('%s: the worker runs on, is called neither dead nor failed, and needs nobody', async (_title, jump) => {
  const root = await project();
  const clock = new ShiftedClock();
  const host = await openTestHost(root, { clock });
  await host.watch();
  await host.lead();
  const id = await started(host, 'silent');
  await untilSnapshot(host, ({ workers }) => workers[0]?.state === 'running');
  const [before] = identitiesIn(root);
  clock.goAhead(jump);
  const { workers } = await host.refresh();
  expect(workers).toMatchObject([{ workerId: id, state: 'running', exit: null, attention: null, endedAt: null }]);
  expect(workers[0]?.entry.status).toBe('running');
  expect(identitiesIn(root)).toEqual([before]);
});

test('a window that wakes up holds no silence against a worker at once; a terminal that only looks goes by age', async () => {
  const root = await project();
  const clock = new ShiftedClock();
  const host = await openTestHost(root, { clock });
  await host.watch();
  await host.lead();
  await started(host, 'silent');
  await untilSnapshot(host, ({ workers }) => workers[0]?.state === 'running');
  clock.goAhead(8 * HOUR);
  expect((await host.refresh()).workers).toMatchObject([{ state: 'running', health: 'ok', attention: null }]);
  const terminal = await openTestHost(root, { clock, surface: 'cli' });
  expect((await terminal.look()).workers).toMatchObject([{ state: 'running', health: 'stale' }]);
  expect((await host.look()).workers).toMatchObject([{ state: 'running', health: 'ok' }]);
});

test('a worker that beats from a thread while its loop hangs is left alone, and a stop ends it', async () => {
  const root = await project();
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  const id = await started(host, 'hangs');
  await untilSnapshot(host, ({ workers }) => (workers[0]?.progress?.items_processed ?? 0) > 5);
  expect(host.getSnapshot().workers).toMatchObject([{ state: 'running', attention: null }]);
  await host.stop({ worker: id, force: false, requestedBy: 'vscode' });
  const { workers } = await untilSnapshot(host, (seen) => seen.workers[0]?.state === 'stopped');
  expect(workers[0]?.stop?.steps.map(({ step }) => step).slice(0, 2)).toEqual(['asked', 'terminate']);
});

test('three workers that cannot start, and three rows of a window that died before it spawned, free their slots', async () => {
  const root = await project();
  const clock = new ShiftedClock();
  const host = await openTestHost(root, { clock });
  for (let worker = 0; worker < 3; worker += 1) {
    expect(await host.start({ type: 'absent', requestedBy: 'cli' })).toMatchObject({ ok: false });
  }
  putClaims(root, 3);
  expect(await host.start({ type: 'quick', requestedBy: 'cli' })).toMatchObject({ error: { code: 'limit' } });
  clock.goAhead(16 * MINUTE);
  expect(await host.start({ type: 'quick', requestedBy: 'cli' })).toMatchObject({ ok: true });
});

/** What is left by a leader that was killed between the claim of a folder and the spawn. */
function putClaims(root: string, count: number): void {
  const path = join(workersDirOf(root), 'registry.json');
  const document = JSON.parse(readFileSync(path, 'utf8')) as { workers: object[] };
  for (let claim = 0; claim < count; claim += 1) {
    const worker_id = `wkr-20260301-14302${claim}-silent`;
    mkdirSync(join(workersDirOf(root), worker_id, 'output'), { recursive: true });
    document.workers.push({
      worker_id,
      type: 'silent',
      status: 'starting',
      model: 'haiku',
      started_at: formatTimestamp(Date.now()),
      completed_at: null,
      output_dir: `.keysarium/workers/${worker_id}/output/`,
      retry_count: 0,
    });
  }
  writeFileSync(path, JSON.stringify(document));
}

test('the stop flag of an earlier worker never hits the next one of its type', async () => {
  const root = await project();
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  const first = await started(host, 'silent');
  await untilSnapshot(host, ({ workers }) => workers[0]?.state === 'running');
  await host.stop({ worker: first, force: true, requestedBy: 'cli' });
  await untilSnapshot(host, ({ workers }) => workers[0]?.state === 'stopped');
  const second = await started(host, 'silent');
  await untilSnapshot(host, ({ workers }) => workers[1]?.state === 'running');
  const { workers } = await host.refresh();
  expect(workers.map(({ workerId, state, stop }) => [workerId, state, stop === null])).toEqual([
    [first, 'stopped', false],
    [second, 'running', true],
  ]);
  expect(existsSync(join(workersDirOf(root), first, 'stop-requested'))).toBe(true);
});

test('a project whose path is far too long for a socket works: a second window reaches leader and worker', async () => {
  const root = await project(`${'длинный путь '.repeat(9)}#50% 🚀`);
  expect(Buffer.byteLength(root)).toBeGreaterThan(200);
  const window = openWindow({ args: [root, distDir] });
  await untilReady(window);
  mkdirSync(workersDirOf(root), { recursive: true });
  await nextSnapshot(window, ({ leader }) => leader?.self === true);
  const terminal = await openTestHost(root, { surface: 'cli' });
  const id = await started(terminal, 'silent');
  await terminal.stop({ worker: id, force: true, requestedBy: 'cli' });
  const ended = await terminal.waitForEnd(id, AbortSignal.timeout(30_000));
  expect(ended).toMatchObject({ state: 'stopped', exit: { class: 'asked to stop', requestedBy: 'cli' } });
});

test('two windows that open and start at the same moment have one leader and one process per start', async () => {
  const root = await project();
  mkdirSync(workersDirOf(root), { recursive: true });
  const windows = [openWindow({ args: [root, distDir] }), openWindow({ args: [root, distDir] })];
  for (const window of windows) {
    window.say('start silent');
  }
  const snapshots = await Promise.all(
    windows.map(async (window) =>
      nextSnapshot(window, ({ workers, leader }) => workers.filter(({ pid }) => pid !== null).length === 2 && !!leader),
    ),
  );
  expect(snapshots.filter(({ leader }) => leader?.self)).toHaveLength(1);
  expect(new Set(snapshots.flatMap(({ workers }) => workers.map(({ pid }) => pid))).size).toBe(2);
  expect(readdirSync(workersDirOf(root)).filter((name) => name.startsWith('leader.'))).toHaveLength(1);
});

test('while one worker floods without a line end, looks are answered and its files stay bounded', async () => {
  const root = await project();
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  const flood = await started(host, 'flood');
  const folder = join(workersDirOf(root), flood);
  const sizes: number[] = [];
  let looks = 0;
  for (let seen = await host.look(); seen.workers[0]?.endedAt === null; seen = await host.look()) {
    looks += 1;
    sizes.push(statSync(join(folder, 'output.raw')).size);
    if (looks === 3) {
      await host.stop({ worker: flood, force: true, requestedBy: 'cli' });
    }
  }
  expect(looks).toBeGreaterThanOrEqual(3);
  expect(Math.max(...sizes)).toBeLessThan(400e6);
});
