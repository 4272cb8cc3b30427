import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import type { FleetSnapshot, WorkerSnapshot } from '../../src/core/protocol/snapshot';
import { alreadyAskedText } from '../../src/core/protocol/workers/workerTexts';
import { endKeepersOf } from '../support/endKeepersOf';
import { runCli } from '../support/runCli';
import { useScript, type ScriptProcess } from '../support/scriptProcess';
import { tempProject } from '../support/tempProject';
import { distDir, openTestHost, untilSnapshot } from '../support/testHost';
import { anEntry } from '../support/workerFacts';

const openWindow = useScript('test/support/hostScript.ts');

/** Types whose commands need nothing but Node. `lines` counts on stdout until it is told to stop or finish; a file `hold` keeps it. */
const workersJson = JSON.stringify({
  version: 1,
  types: {
    quick: { description: 'ends at once', command: ['node', '-e', 'console.log("done")'] },
    fails: { description: 'exits with 3', command: ['node', '-e', 'console.error("no disk"); process.exit(3)'] },
    hangs: {
      description: 'says that it is done and goes on',
      isolation: 'audit',
      command: [
        'node',
        '-e',
        'require("node:fs").writeFileSync(process.env.ROLLCALL_WORKER_DIR + "/status.json", `{"status":"completed"}`); setInterval(() => {}, 1000);',
      ],
    },
    lines: { description: 'counts', command: ['node', 'lines.js'], graceSeconds: 30 },
    absent: { description: 'no such program', command: ['rollcall-no-such-program'] },
  },
});
const linesJs = `
const fs = require('node:fs');
let n = 0;
setInterval(() => {
  console.log('line ' + n++);
  if (fs.existsSync('hold')) return;
  if (fs.existsSync(process.env.ROLLCALL_STOP_FLAG) || fs.existsSync('finish')) process.exit(0);
}, 20);
`;

async function project(files: Readonly<Record<string, string>> = {}, name?: string): Promise<string> {
  const root = await tempProject({ '.vscode/workers.json': workersJson, 'lines.js': linesJs, ...files }, name);
  onTestFinished(async () => endKeepersOf(root));
  return root;
}

async function startedId(host: HostApi, type: string): Promise<string> {
  const outcome = await host.start({ type, requestedBy: 'vscode' });
  if (!outcome.ok) {
    throw new Error(outcome.error.message);
  }
  return outcome.value.workerId;
}

function only({ workers }: FleetSnapshot): WorkerSnapshot {
  expect(workers).toHaveLength(1);
  const [worker] = workers;
  if (worker === undefined) {
    throw new Error('unreachable');
  }
  return worker;
}

async function nextSnapshot(
  window: ScriptProcess,
  wanted: (snapshot: FleetSnapshot) => boolean,
): Promise<FleetSnapshot> {
  for (;;) {
    const { snapshot } = JSON.parse(await window.line()) as { snapshot?: FleetSnapshot };
    if (snapshot !== undefined && wanted(snapshot)) {
      return snapshot;
    }
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

async function untilReady(window: ScriptProcess): Promise<void> {
  while (!(await window.line()).includes('"ready"')) {
    // Snapshots before the lease is taken.
  }
}

test.each([
  ['quick', 'completed', 'done', 0],
  ['fails', 'failed', 'crash', 3],
])('%s ends as %s, and registry, status.json and exit record agree', async (type, state, exitClass, code) => {
  const root = await project({}, 'имя с пробелом 🚀 #50%');
  const host = await openTestHost(root);
  const id = await startedId(host, type);
  const ended = await host.waitForEnd(id, AbortSignal.timeout(20_000));
  expect([ended.state, ended.exit?.class, ended.exit?.code]).toEqual([state, exitClass, code]);
  const { workers } = await host.refresh();
  expect(workers.map((worker) => worker.entry.status)).toEqual([state]);
  expect(existsSync(join(ended.folder, 'error.log'))).toBe(state === 'failed');
});

test('a program that does not exist gives a failed entry that says what to do, and frees its slot', async () => {
  const root = await project();
  const host = await openTestHost(root);
  const outcome = await host.start({ type: 'absent', requestedBy: 'cli' });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'spawn-failed' } });
  const worker = only(await host.refresh());
  expect([worker.state, worker.entry.status]).toEqual(['failed', 'failed']);
  expect(worker.error).toMatch(/rollcall-no-such-program/);
  expect(existsSync(join(worker.folder, 'error.log'))).toBe(true);
});

test.each([
  ['an unknown type', 'nope', true, 'unknown-type', /Valid types: .*quick/],
  ['an untrusted workspace', 'quick', false, 'untrusted', /Trust this workspace/],
])('%s is refused in plain words and creates nothing', async (_title, type, trusted, code, words) => {
  const root = await project();
  const host = await openTestHost(root, { trusted });
  const outcome = await host.start({ type, requestedBy: 'cli' });
  expect(outcome).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(words) as string } });
  expect(existsSync(join(root, '.keysarium'))).toBe(false);
});

test('a template that is nowhere is refused and creates nothing', async () => {
  const types = { audit: { description: 'needs a template', template: 'lib/worker-templates/audit.md' } };
  const root = await project({ '.vscode/workers.json': JSON.stringify({ version: 1, types }) });
  const host = await openTestHost(root);
  const outcome = await host.start({ type: 'audit', requestedBy: 'cli' });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'missing-template' } });
  expect(existsSync(join(root, '.keysarium'))).toBe(false);
});

test('the fourth worker is refused with the text of the protocol and leaves no folder', async () => {
  const root = await project();
  const host = await openTestHost(root);
  await startedId(host, 'lines');
  await startedId(host, 'lines');
  await startedId(host, 'lines');
  const refused = await host.start({ type: 'quick', requestedBy: 'slash' });
  expect(refused).toEqual({
    ok: false,
    error: {
      code: 'limit',
      message:
        'Cannot start worker: maximum concurrent workers (3) reached.\nUse `/workers status` to check active workers.',
    },
  });
  expect(readdirSync(join(root, '.keysarium/workers')).filter((name) => name.startsWith('wkr-'))).toHaveLength(3);
});

test('a read-only project is refused in plain words and nothing is made in it', async () => {
  const root = await project();
  execFileSync('mount', ['--bind', root, root]);
  onTestFinished(() => {
    execFileSync('umount', [root]);
  });
  execFileSync('mount', ['-o', 'remount,ro,bind', root]);
  const host = await openTestHost(root);
  const outcome = await host.start({ type: 'quick', requestedBy: 'cli' });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'read-only' } });
  expect(existsSync(join(root, '.keysarium'))).toBe(false);
});

test('a workers folder that is a link out of the project is refused and not read', async () => {
  const elsewhere = await tempProject({ 'registry.json': '{"workers": []}' });
  const root = await project();
  mkdirSync(join(root, '.keysarium'));
  symlinkSync(elsewhere, join(root, '.keysarium/workers'));
  const host = await openTestHost(root);
  expect((await host.look()).problems).toMatchObject([{ code: 'unsafe-root' }]);
  expect(await host.start({ type: 'quick', requestedBy: 'cli' })).toMatchObject({ ok: false });
  expect(readdirSync(elsewhere)).toEqual(['registry.json']);
});

test('a workers folder that is a link out of the project is not written to by any window or command', async () => {
  const registry = JSON.stringify({ version: '1.0', max_concurrent: 3, workers: [anEntry()] });
  const elsewhere = await tempProject({ 'registry.json': registry });
  const root = await project();
  mkdirSync(join(root, '.keysarium'));
  symlinkSync(elsewhere, join(root, '.keysarium/workers'));
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  const commands = ['status', 'supervise', 'start quick', 'start quick --when-free', 'queue cancel q', 'stop --all'];
  for (const command of [...commands, 'gc --apply', 'fuse reset logs', 'notify bto-test', 'session start', 'inbox']) {
    await runCli(root, ...command.split(' '));
  }
  await host.shutdown();
  expect(readdirSync(elsewhere)).toEqual(['registry.json']);
  expect(readFileSync(join(elsewhere, 'registry.json'), 'utf8')).toBe(registry);
});

test('a look where nothing is creates nothing', async () => {
  const root = await project();
  const host = await openTestHost(root);
  expect((await host.refresh()).workers).toEqual([]);
  await host.watch();
  await host.lead();
  expect(existsSync(join(root, '.keysarium'))).toBe(false);
});

test('a stop is polite first, leaves a receipt, and the worker is stopped for good', async () => {
  const root = await project({ hold: '' });
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  const id = await startedId(host, 'lines');
  await untilSnapshot(host, ({ workers }) => workers[0]?.entry.status === 'running');
  const stopped = await host.stop({ worker: id.slice(0, -2), force: false, requestedBy: 'slash' });
  expect(stopped).toMatchObject({
    ok: true,
    value: {
      message: expect.stringContaining(
        `Stop requested for worker ${id}.\nWorker will stop at next safe point.`,
      ) as string,
    },
  });
  const again = await host.stop({ worker: id, force: false, requestedBy: 'slash' });
  expect(again).toMatchObject({
    ok: false,
    error: { message: alreadyAskedText(id) },
  });
  rmSync(join(root, 'hold'));
  const { workers } = await untilSnapshot(host, (snapshot) => snapshot.workers[0]?.state === 'stopped');
  expect(workers[0]).toMatchObject({
    entry: { status: 'stopped' },
    exit: { class: 'asked to stop', requestedBy: 'slash', forced: false },
    stop: { requestedBy: 'slash', finished: true },
  });
});

test('a stop has the name of whoever asked, also where the worker left on the flag before its keeper heard that name', async () => {
  const root = await project();
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  const id = await startedId(host, 'lines');
  await untilSnapshot(host, ({ workers }) => workers[0]?.entry.status === 'running');
  expect(await host.stop({ worker: id, force: false, requestedBy: 'vscode' })).toMatchObject({ ok: true });
  await untilSnapshot(host, (snapshot) => snapshot.workers[0]?.state === 'stopped');
  await host.shutdown();
  const record = join(root, '.keysarium', 'workers', id, 'keeper.json');
  const told = readFileSync(record, 'utf8');
  const nameless = told.replaceAll(/"requestedBy": ?"vscode"/g, '"requestedBy":"stop flag"');
  expect(nameless).not.toBe(told);
  writeFileSync(record, nameless);
  const next = await openTestHost(root);
  expect(only(await next.look())).toMatchObject({
    state: 'stopped',
    exit: { requestedBy: 'vscode' },
    stop: { requestedBy: 'vscode' },
  });
});

test('what a terminal starts is shown by the watching window and supervised by it', async () => {
  const root = await project();
  const window = await openTestHost(root);
  await window.watch();
  await window.lead();
  const terminal = await openTestHost(root, { surface: 'cli' });
  const first = await startedId(terminal, 'quick');
  await untilSnapshot(window, ({ workers }) => workers[0]?.entry.status === 'completed');
  await untilSnapshot(window, ({ leader }) => leader?.self === true);
  const second = await startedId(terminal, 'lines');
  await untilSnapshot(window, ({ workers }) => workers[1]?.state === 'running');
  const record = JSON.parse(readFileSync(join(root, '.keysarium/workers', second, 'keeper.json'), 'utf8')) as {
    epoch: number;
  };
  expect(window.getSnapshot().leader).toMatchObject({ self: true, epoch: record.epoch, surface: 'vscode' });
  expect(first).not.toBe(second);
});

test('a window that is killed loses nothing: the next one shows the same process, every line and the exit', async () => {
  const root = await project();
  const first = openWindow({ args: [root, distDir] });
  await untilReady(first);
  first.say('start lines');
  const before = only(await nextSnapshot(first, ({ workers }) => isNumber(workers[0]?.pid)));
  await first.kill();

  const second = openWindow({ args: [root, distDir] });
  const after = only(
    await nextSnapshot(second, ({ workers, leader }) => isNumber(workers[0]?.pid) && leader?.self === true),
  );
  expect([after.workerId, after.pid, after.state]).toEqual([before.workerId, before.pid, 'running']);
  writeFileSync(join(root, 'finish'), '');
  const ended = only(await nextSnapshot(second, ({ workers }) => workers[0]?.state === 'completed'));
  expect(ended).toMatchObject({ entry: { status: 'completed' }, exit: { code: 0, class: 'done' } });
  const lines = readFileSync(ended.logFile, 'utf8').trimEnd().split('\n');
  expect(lines).toEqual(lines.map((_, index) => `line ${String(index)}`));
});

test('a follower leads by itself after the leader was killed', async () => {
  const root = await project();
  mkdirSync(join(root, '.keysarium/workers'), { recursive: true });
  const first = openWindow({ args: [root, distDir] });
  await untilReady(first);
  const second = openWindow({ args: [root, distDir] });
  await untilReady(second);
  await first.kill();
  const { leader } = await nextSnapshot(second, (snapshot) => snapshot.leader?.self === true);
  expect(leader?.pid).toBe(second.pid);
});

test('keeper and worker killed together: unknown, not running and not failed, and the slot is free', async () => {
  const root = await project();
  const host = await openTestHost(root);
  const id = await startedId(host, 'lines');
  const running = only(await host.look());
  const { keeper } = JSON.parse(readFileSync(join(running.folder, 'keeper.json'), 'utf8')) as {
    keeper: { pid: number };
  };
  process.kill(keeper.pid, 'SIGKILL');
  process.kill(running.pid ?? -1, 'SIGKILL');
  await expect.poll(async () => only(await host.look()).state).toBe('unknown');
  const worker = only(await host.refresh());
  expect([worker.workerId, worker.entry.status, worker.pid]).toEqual([id, 'unknown', null]);
});

test('a worker that goes on behind its last word is shown running, and force ends it', async () => {
  const root = await project();
  const host = await openTestHost(root);
  const id = await startedId(host, 'hangs');
  await expect.poll(async () => only(await host.look()).entry.status).toBe('completed');
  const { pid, state } = only(await host.look());
  expect(state).toBe('running');
  const plain = await host.stop({ worker: id, force: false, requestedBy: 'cli' });
  expect(plain).toMatchObject({ ok: false, error: { message: `Worker ${id} is not running (status: completed)` } });
  expect(await host.stop({ worker: id, force: true, requestedBy: 'cli' })).toMatchObject({ ok: true });
  const ended = await host.waitForEnd(id, AbortSignal.timeout(20_000));
  expect([ended.state, ended.entry.status, existsSync(`/proc/${String(pid)}`)]).toEqual([
    'completed',
    'completed',
    false,
  ]);
});

test('a registry that somebody deleted is made again by the next status, and hides no worker', async () => {
  const root = await project();
  const host = await openTestHost(root);
  const id = await startedId(host, 'lines');
  rmSync(join(root, '.keysarium/workers/registry.json'));
  const worker = only(await host.refresh());
  expect([worker.workerId, worker.state, worker.entry.status]).toEqual([id, 'running', 'running']);
});

test.each([
  ['torn', '{"worker_id": "wkr-', /JSON/],
  ['empty', '', /empty|JSON/],
  ['too large', ' '.repeat(10 * 1024 * 1024), /64 KiB/],
  ['of a wrong type', '["running"]', /object/],
])('a status.json that is %s marks its row with the reason and no other', async (_title, text, reason) => {
  const root = await project();
  const host = await openTestHost(root);
  const bad = await startedId(host, 'quick');
  await host.waitForEnd(bad, AbortSignal.timeout(20_000));
  const good = await startedId(host, 'quick');
  await host.waitForEnd(good, AbortSignal.timeout(20_000));
  await host.refresh();
  writeFileSync(join(root, '.keysarium/workers', bad, 'status.json'), text);
  const { workers } = await host.look();
  expect(workers.map((worker) => [worker.workerId, worker.state, worker.problem])).toEqual([
    [bad, 'completed', expect.stringMatching(reason) as string],
    [good, 'completed', null],
  ]);
});
