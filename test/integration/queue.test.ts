import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import type { FleetSnapshot, WorkerSnapshot } from '../../src/core/protocol/snapshot';
import { formatQueueDocument, type QueuedStart } from '../../src/core/protocol/workers/queueDocument';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { makeWorkerId } from '../../src/core/protocol/workers/workerId';
import { runCli, startCli } from '../support/runCli';
import { useScript } from '../support/scriptProcess';
import { tempProject } from '../support/tempProject';
import { distDir, openTestHost, untilSnapshot } from '../support/testHost';
import { letGo, registryOf, started, workerFolders, workersDirOf, workersProject } from '../support/workersProject';

const openProcess = useScript('test/support/hostScript.ts');

/** A project with one slot. */
async function project(): Promise<string> {
  return await workersProject({ maxConcurrent: 1 });
}

async function openWindow(root: string): Promise<HostApi> {
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  return host;
}

async function queued(host: HostApi, type: string): Promise<QueuedStart> {
  const outcome = await host.enqueue({ type, requestedBy: 'vscode' });
  if (!outcome.ok) {
    throw new Error(outcome.error.message);
  }
  return outcome.value;
}

function isDone({ workers, queue }: FleetSnapshot): boolean {
  return queue.length === 0 && workers.every(({ state }) => state === 'completed');
}

function queueOf(root: string): readonly string[] {
  const { queue } = JSON.parse(readFileSync(join(workersDirOf(root), 'queue.json'), 'utf8')) as {
    queue: QueuedStart[];
  };
  return queue.map(({ id }) => id);
}

describe('a queued start', () => {
  it('is made when a slot gets free, one at a time and in order', async () => {
    const root = await project();
    const host = await openWindow(root);
    const running = await started(host, 'wait');
    const first = await queued(host, 'quick');
    const second = await queued(host, 'fails');
    const { queue } = await untilSnapshot(host, (snapshot) => snapshot.queue.length === 2);
    expect(queue.map(({ type }) => type)).toEqual(['quick', 'fails']);
    expect(workerFolders(root)).toEqual([running]);
    letGo(root);
    const { workers } = await untilSnapshot(
      host,
      (snapshot) => snapshot.queue.length === 0 && snapshot.workers.at(-1)?.state === 'failed',
    );
    expect(workers.map(({ entry }) => [entry.type, entry.extra['queue_id'], entry.retry_count])).toEqual([
      ['wait', undefined, 0],
      ['quick', first.id, 0],
      ['fails', second.id, 0],
    ]);
    const [, one, other] = workers;
    expect(other?.startedAt).toBeGreaterThanOrEqual(one?.startedAt ?? Number.NaN);
    expect(queueOf(root)).toEqual([]);
  });

  it('that was taken back is never made', async () => {
    const root = await project();
    const host = await openWindow(root);
    const running = await started(host, 'wait');
    const { id } = await queued(host, 'quick');
    const shown = await runCli(root, 'queue');
    expect(shown.stdout).toMatch(new RegExp(`^ID .*\\n${id} +quick +queued, 1st +\\d+ s\\n$`));
    const cancelled = await runCli(root, 'queue', 'cancel', id.slice(0, 5));
    expect(cancelled).toEqual({ code: 0, stdout: `quick (${id}) is not queued any more.\n`, stderr: '' });
    expect(await runCli(root, 'queue', 'cancel', id)).toMatchObject({ code: 1, stdout: '' });
    letGo(root);
    await untilSnapshot(host, isDone);
    const next = await started(host, 'fails');
    await host.waitForEnd(next, AbortSignal.timeout(20_000));
    expect(workerFolders(root)).toEqual([running, next].sort());
  });

  it('survives the window, and is made by the next one', async () => {
    const root = await project();
    const first = await openWindow(root);
    await started(first, 'wait');
    const { id } = await queued(first, 'quick');
    await first.shutdown();
    const second = await openWindow(root);
    expect((await second.look()).queue.map((start) => start.id)).toEqual([id]);
    letGo(root);
    await untilSnapshot(second, isDone);
    expect(workerFolders(root, 'quick')).toHaveLength(1);
  });

  it('is made once, also when the leader is killed as soon as the worker is in the registry', async () => {
    const root = await workersProject({ maxConcurrent: 2 });
    const leader = openProcess({ args: [root, distDir] });
    while (!(await leader.line()).includes('"ready"')) {
      // Snapshots before the lease is taken.
    }
    leader.say('start wait');
    leader.say('start wait');
    await expect.poll(() => workerFolders(root, 'wait').length).toBe(2);
    leader.say('queue quick');
    await expect.poll(() => queueOf(root).length, { interval: 5 }).toBe(1);
    const [id] = queueOf(root);
    letGo(root);
    await expect
      .poll(() => [...registryOf(root).values()].some((entry) => entry['queue_id'] === id), {
        interval: 1,
        timeout: 60_000,
      })
      .toBe(true);
    await leader.kill();
    const next = await openWindow(root);
    // The start that was cut off may keep its slot for a while, so the other one must be free.
    const areWaitersDone = (workers: readonly WorkerSnapshot[]): boolean =>
      workers.every(({ entry, endedAt }) => entry.type !== 'wait' || endedAt !== null);
    await untilSnapshot(next, ({ queue, workers }) => queue.length === 0 && areWaitersDone(workers));
    const after = await started(next, 'fails');
    await next.waitForEnd(after, AbortSignal.timeout(20_000));
    expect([...registryOf(root).values()].filter((entry) => entry['queue_id'] === id)).toHaveLength(1);
    expect(workerFolders(root, 'quick')).toHaveLength(1);
  });

  it('whose worker is in the registry already is only taken out of the queue', async () => {
    const root = await project();
    const since = Date.now() - 60_000;
    const made = makeWorkerId('quick', since);
    plantMade(root, made, { id: 'q-0a1b2c3d', type: 'quick', since });
    const cancelled = await runCli(root, 'queue', 'cancel', 'q-0a');
    expect(cancelled).toMatchObject({ code: 1, stdout: '' });
    expect(cancelled.stderr).toContain(`it is ${made}. Stop that worker.`);
    const host = await openWindow(root);
    await untilSnapshot(host, ({ queue }) => queue.length === 0);
    expect(workerFolders(root)).toEqual([made]);
  });

  it('of a type that is nowhere is refused like a start, and waits for nothing', async () => {
    const root = await project();
    const host = await openTestHost(root);
    expect(await host.enqueue({ type: 'nope', requestedBy: 'cli' })).toMatchObject({
      ok: false,
      error: { code: 'unknown-type' },
    });
    const untrusted = await openTestHost(root, { trusted: false });
    expect(await untrusted.enqueue({ type: 'quick', requestedBy: 'vscode' })).toMatchObject({
      ok: false,
      error: { code: 'untrusted' },
    });
    expect((await host.look()).queue).toEqual([]);
  });
});

/** What a leader leaves that was killed between the start and its settling; its worker has ended since. */
function plantMade(root: string, workerId: string, start: QueuedStart): void {
  const folder = join(workersDirOf(root), workerId);
  mkdirSync(folder, { recursive: true });
  const at = formatTimestamp(start.since);
  const status = { worker_id: workerId, type: start.type, status: 'completed', started_at: at, completed_at: at };
  writeFileSync(join(folder, 'status.json'), JSON.stringify(status));
  const workers = [{ ...status, queue_id: start.id }];
  writeFileSync(
    join(workersDirOf(root), 'registry.json'),
    JSON.stringify({ version: '1.0', max_concurrent: 1, workers }),
  );
  writeFileSync(join(workersDirOf(root), 'queue.json'), formatQueueDocument([start]));
}

describe('rollcall start --when-free', () => {
  it('starts at once where a slot is free', async () => {
    const root = await project();
    const run = await runCli(root, 'start', 'quick', '--when-free', '--wait');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^Background worker started\.[\s\S]*completed\.\n$/);
  });

  it('is offered by the refusal, but not in the words of the slash command', async () => {
    const root = await project();
    await runCli(root, 'start', 'wait');
    const refused = await runCli(root, 'start', 'quick');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr.split('\n').slice(2)).toEqual([
      'Hint: `rollcall start quick --when-free` starts it when a slot is free.',
      '',
    ]);
    const slash = await runCli(root, 'start', 'quick', '--surface', 'slash');
    expect(slash.stderr.split('\n')).toHaveLength(3);
    letGo(root);
  });

  it('queues behind the leader and comes back, each with its place', async () => {
    const root = await project();
    const host = await openWindow(root);
    await started(host, 'wait');
    const text = await runCli(root, 'start', 'quick', '--when-free');
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(
      /^quick is queued, 1st \((q-[0-9a-f]{8})\)\. It starts when a slot is free\.\nUse `rollcall queue cancel \1` to take it back\.\n$/,
    );
    const json = await runCli(root, 'start', 'quick', '--when-free', '--json');
    const { queued: second } = JSON.parse(json.stdout) as { queued: { id: string; place: number } };
    expect(second.place).toBe(2);
    const status = JSON.parse((await runCli(root, 'status', '--json')).stdout) as { queue: object[] };
    expect(status.queue).toHaveLength(2);
    expect(status.queue[1]).toMatchObject({ id: second.id, type: 'quick', since: expect.any(String) as string });
    letGo(root);
    await untilSnapshot(host, isDone);
    expect(workerFolders(root, 'quick')).toHaveLength(2);
  });

  it('stays where nobody leads, starts it itself, and tells it as a start', async () => {
    const root = await project();
    await runCli(root, 'start', 'wait');
    const waiting = startCli(root, ['start', 'quick', '--when-free', '--wait']);
    await waiting.printed('It starts when a slot is free.');
    letGo(root);
    const { code, stdout, stderr } = await waiting.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('this command waits and starts it. Ctrl-C leaves it queued.');
    expect(stdout).toMatch(/Background worker started\.\n {2}ID: {3}wkr-\S+-quick\n[\s\S]*completed\.\n$/);
  });

  it('leaves it queued at Ctrl-C and says so, and the next leader makes it', async () => {
    const root = await project();
    await runCli(root, 'start', 'wait');
    const waiting = startCli(root, ['start', 'quick', '--when-free', '--json']);
    await expect
      .poll(async () => JSON.parse((await runCli(root, 'status', '--json')).stdout) as object)
      .toMatchObject({
        leader: { surface: 'cli' },
        queue: [{ type: 'quick' }],
      });
    waiting.child.kill('SIGINT');
    const { code, stdout, stderr } = await waiting.ended;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toMatch(/Stopped waiting\. quick stays queued \(q-[0-9a-f]{8}\)/);
    const host = await openWindow(root);
    letGo(root);
    await untilSnapshot(host, isDone);
    expect(workerFolders(root, 'quick')).toHaveLength(1);
  });
});

describe('rollcall stop --all', () => {
  it('takes queued starts back first, so that none takes the place of what stops', async () => {
    const root = await project();
    const host = await openWindow(root);
    const running = await started(host, 'wait');
    await untilSnapshot(host, ({ workers }) => workers[0]?.state === 'running');
    const { id } = await queued(host, 'quick');
    const run = await runCli(root, 'stop', '--all', '--wait');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.split('\n')).toEqual([
      `quick (${id}) is not queued any more.`,
      `Stop requested for worker ${running}.`,
      'Worker will stop at next safe point.',
      'Use `rollcall status` to confirm.',
      `Worker ${running} stopped.`,
      '',
    ]);
    expect(workerFolders(root)).toEqual([running]);
    expect(await runCli(root, 'stop', '--all')).toMatchObject({ code: 0, stdout: 'No workers are running.\n' });
    const json = await runCli(root, 'stop', '--all', '--json');
    expect(JSON.parse(json.stdout)).toEqual({ schema: 1, stopped: [], refused: [], cancelled: [] });
  });

  it('ends with 1 and says why where the workers folder is refused: nobody can say that nothing runs', async () => {
    const root = await project();
    symlinkSync(await tempProject(), join(root, '.keysarium'));
    const run = await runCli(root, 'stop', '--all');
    expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('.keysarium') as string });
    const json = await runCli(root, 'stop', '--all', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'unsafe-root' } });
  });

  it('fails for nobody where several ask at once and everything stops', async () => {
    const root = await workersProject();
    const host = await openWindow(root);
    await started(host, 'wait');
    await started(host, 'wait');
    await untilSnapshot(host, ({ workers }) => workers.every(({ state }) => state === 'running'));
    const runs = await Promise.all([1, 2, 3].map(async () => runCli(root, 'stop', '--all', '--wait')));
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(runs.map(() => ({ code: 0, stderr: '' })));
    expect((await host.look()).workers.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
  });
});
