import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import type { ProcessIdentity } from '../../src/core/protocol/keeper/processIdentity';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { makeWorkerId } from '../../src/core/protocol/workers/workerId';
import { identityOf } from '../../src/core/system/processIdentity';
import { runCli } from '../support/runCli';
import { ShiftedClock } from '../support/shiftedClock';
import { openTestHost } from '../support/testHost';
import { aKeeper } from '../support/workerFacts';
import { registryOf, started, workerFolders, workersDirOf, workersProject } from '../support/workersProject';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Planted {
  readonly status?: string;
  readonly hoursAgo?: number;
  readonly keeper?: KeeperRecord;
  /** Where the folder really lies, with a link in its place. */
  readonly behindLink?: string;
}

/** A worker folder that some program left so many hours ago; gives its id. */
async function plant(root: string, type: string, planted: Planted = {}): Promise<string> {
  const { status = 'completed', hoursAgo = 30, keeper, behindLink } = planted;
  const at = Date.now() - hoursAgo * HOUR;
  const id = makeWorkerId(type, at);
  const place = join(workersDirOf(root), id);
  const folder = behindLink ?? place;
  mkdirSync(join(folder, 'output'), { recursive: true });
  const files = { 'status.json': JSON.stringify({ status }), 'output/result.txt': type };
  const kept = keeper === undefined ? {} : { 'keeper.json': JSON.stringify(keeper) };
  for (const [name, text] of Object.entries({ ...files, ...kept })) {
    writeFileSync(join(folder, name), text);
    await utimes(join(folder, name), at / 1000, at / 1000);
  }
  await utimes(folder, at / 1000, at / 1000);
  if (behindLink !== undefined) {
    symlinkSync(behindLink, place);
  }
  return id;
}

/** A process that lives until the test ends. */
async function livingProcess(): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const identity = await identityOf(child.pid ?? Number.NaN);
  if (identity === null) {
    throw new Error('the process did not start');
  }
  return identity;
}

function plantRegistry(root: string, ...ids: readonly string[]): void {
  const started_at = formatTimestamp(Date.now());
  const workers = ids.map((worker_id) => ({ worker_id, type: 'x', status: 'running', started_at }));
  mkdirSync(workersDirOf(root), { recursive: true });
  writeFileSync(join(workersDirOf(root), 'registry.json'), JSON.stringify({ version: '1.0', workers }));
}

/** Every file below a folder with its text, and every link as one. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return Object.fromEntries(
    entries
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('registry.json'))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path, entry.isFile() ? readFileSync(path, 'utf8') : 'link'];
      }),
  );
}

async function collected(host: HostApi, dryRun: boolean): Promise<readonly string[]> {
  const report = await host.collectGarbage({ dryRun });
  if (!report.ok) {
    throw new Error(report.error.message);
  }
  return report.value.folders.map(({ workerId }) => workerId);
}

describe('a clean-up', () => {
  it('takes what ended more than a day ago and left the registry, and nothing else', async () => {
    const root = await workersProject();
    const { record } = aKeeper({ record: { process: null } });
    const keeper = await livingProcess();
    const old = await plant(root, 'old');
    const failed = await plant(root, 'failed', { status: 'failed', hoursAgo: 25 });
    const registered = await plant(root, 'registered');
    const kept = [
      registered,
      await plant(root, 'young', { hoursAgo: 23 }),
      await plant(root, 'running', { status: 'running' }),
      await plant(root, 'silent', { status: 'whatever' }),
      await plant(root, 'living', { keeper: { ...record, keeper } }),
      await plant(root, 'linked', { behindLink: join(dirname(root), 'elsewhere') }),
    ];
    plantRegistry(root, registered);
    mkdirSync(join(workersDirOf(root), 'my-notes'));
    const host = await openTestHost(root);
    const before = contentOf(workersDirOf(root));

    expect((await collected(host, true)).toSorted()).toEqual([failed, old].toSorted());
    expect(contentOf(workersDirOf(root))).toEqual(before);
    expect((await collected(host, false)).toSorted()).toEqual([failed, old].toSorted());
    expect(workerFolders(root)).toEqual(kept.toSorted());
    expect(existsSync(join(dirname(root), 'elsewhere', 'status.json'))).toBe(true);
    expect(await collected(host, false)).toEqual([]);
  });

  it('is undone to the last byte, batch by batch, and what stands in the way stays in the trash', async () => {
    const root = await workersProject();
    plantRegistry(root);
    const first = await plant(root, 'first');
    const host = await openTestHost(root);
    const before = contentOf(join(workersDirOf(root), first));
    await collected(host, false);
    const second = await plant(root, 'second');
    await collected(host, false);
    expect(workerFolders(root)).toEqual([]);
    const restored = await host.restoreGarbage();
    expect(restored).toMatchObject({ ok: true, value: { folders: [{ workerId: second }] } });
    mkdirSync(join(workersDirOf(root), first));
    expect(await host.restoreGarbage()).toMatchObject({ ok: true, value: { folders: [] } });
    renameSync(join(workersDirOf(root), first), join(root, 'out-of-the-way'));
    expect(await host.restoreGarbage()).toMatchObject({ ok: true, value: { folders: [{ workerId: first }] } });
    expect(contentOf(join(workersDirOf(root), first))).toEqual(before);
    expect(await host.restoreGarbage()).toEqual({ ok: true, value: { folders: [], trash: null } });
    expect(readdirSync(join(workersDirOf(root), '.trash'))).toEqual([]);
  });

  it('moves nothing through a trash that is a link, neither there nor back', async () => {
    const root = await workersProject();
    plantRegistry(root);
    const id = await plant(root, 'old');
    const elsewhere = join(dirname(root), 'elsewhere');
    mkdirSync(join(elsewhere, '20260301T000000000Z', makeWorkerId('strange', Date.now())), { recursive: true });
    symlinkSync(elsewhere, join(workersDirOf(root), '.trash'));
    const host = await openTestHost(root);
    const outcome = await host.collectGarbage({ dryRun: false });
    expect(outcome.ok ? '' : outcome.error.message).toMatch(/is a link/);
    expect(workerFolders(root)).toEqual([id]);
    expect(await host.restoreGarbage()).toMatchObject({ ok: true, value: { folders: [] } });
    expect(workerFolders(root)).toEqual([id]);
    expect(lstatSync(join(workersDirOf(root), '.trash')).isSymbolicLink()).toBe(true);
  });

  it('creates nothing where nothing is', async () => {
    const root = await workersProject();
    expect(await runCli(root, 'gc', '--apply')).toMatchObject({
      code: 0,
      stdout: 'No worker folder is old enough to go.\n',
    });
    expect(await runCli(root, 'gc', '--undo')).toMatchObject({ code: 0, stdout: 'There is nothing to put back.\n' });
    expect(existsSync(join(root, '.keysarium'))).toBe(false);
  });
});

describe('rollcall gc', () => {
  it('lists, moves and puts back, each with its words and its JSON', async () => {
    const root = await workersProject();
    plantRegistry(root);
    const id = await plant(root, 'old');
    expect((await runCli(root, 'gc')).stdout).toBe(
      `1 worker folder can go:\n  ${id}  1d 06h old\nUse \`rollcall gc --apply\` to move it into the trash.\n`,
    );
    const listed = JSON.parse((await runCli(root, 'gc', '--json')).stdout) as object;
    expect(listed).toMatchObject({ schema: 1, action: 'listed', folders: [{ worker_id: id }], trash: null });
    const moved = JSON.parse((await runCli(root, 'gc', '--apply', '--json')).stdout) as { trash: string };
    expect(moved).toMatchObject({ action: 'moved', folders: [{ worker_id: id }] });
    expect(existsSync(join(moved.trash, id, 'output', 'result.txt'))).toBe(true);
    expect((await runCli(root, 'status')).stdout).toBe('No workers have been started yet.\n');
    expect(await runCli(root, 'gc', '--undo')).toMatchObject({ code: 0 });
    expect(workerFolders(root)).toEqual([id]);
  });
});

describe('a refresh', () => {
  it('lets an ended worker leave the registry after a day and not before, and its folder stays until the clean-up', async () => {
    const root = await workersProject();
    const clock = new ShiftedClock();
    const host = await openTestHost(root, { clock });
    const id = await started(host, 'quick');
    await host.waitForEnd(id, AbortSignal.timeout(20_000));
    clock.goAhead(DAY - HOUR);
    expect((await host.refresh()).workers.map(({ workerId }) => workerId)).toEqual([id]);
    expect(await collected(host, true)).toEqual([]);
    clock.goAhead(2 * HOUR);
    expect((await host.refresh()).workers).toEqual([]);
    expect([...registryOf(root).keys()]).toEqual([]);
    expect(workerFolders(root)).toEqual([id]);
    expect(await collected(host, false)).toEqual([id]);
    expect(workerFolders(root)).toEqual([]);
  });

  it('calls a silent worker unknown for as long as nobody hears of it, and never prunes it', async () => {
    const root = await workersProject();
    const clock = new ShiftedClock();
    const id = makeWorkerId('consolidate', Date.now());
    plantRegistry(root, id);
    const host = await openTestHost(root, { clock });
    expect((await host.refresh()).workers).toMatchObject([{ state: 'unknown', entry: { status: 'unknown' } }]);
    clock.goAhead(3 * DAY);
    await host.refresh();
    expect(registryOf(root).get(id)).toMatchObject({ status: 'unknown' });
    mkdirSync(join(workersDirOf(root), id));
    writeFileSync(join(workersDirOf(root), id, 'status.json'), JSON.stringify({ status: 'running' }));
    expect((await host.refresh()).workers).toMatchObject([{ state: 'running', entry: { status: 'running' } }]);
    expect(registryOf(root).get(id)).toMatchObject({ status: 'running' });
  });

  it('calls a worker stale whose files rest for a quarter of an hour, and lets it run', async () => {
    const root = await workersProject();
    const clock = new ShiftedClock();
    const id = makeWorkerId('consolidate', Date.now());
    plantRegistry(root, id);
    mkdirSync(join(workersDirOf(root), id));
    const status = join(workersDirOf(root), id, 'status.json');
    writeFileSync(status, JSON.stringify({ status: 'running' }));
    const host = await openTestHost(root, { clock });
    clock.goAhead(14 * 60_000);
    expect((await host.refresh()).workers).toMatchObject([{ health: 'ok' }]);
    clock.goAhead(2 * 60_000);
    expect((await host.refresh()).workers).toMatchObject([{ health: 'stale', entry: { status: 'running' } }]);
    await utimes(status, clock.now() / 1000, clock.now() / 1000);
    expect((await host.refresh()).workers).toMatchObject([{ health: 'ok', entry: { status: 'running' } }]);
  });
});
