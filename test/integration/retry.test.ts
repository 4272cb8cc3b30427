import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import type { FleetSnapshot, WorkerSnapshot } from '../../src/core/protocol/snapshot';
import { runCli, startCli } from '../support/runCli';
import { ShiftedClock } from '../support/shiftedClock';
import { openTestHost, untilSnapshot } from '../support/testHost';
import { letGo, registryOf, started, workerFolders, workersDirOf, workersProject } from '../support/workersProject';

const MINUTE = 60_000;

function workerIn({ workers }: FleetSnapshot, id: string): WorkerSnapshot | undefined {
  return workers.find(({ workerId }) => workerId === id);
}

/** A host that leads and watches, as a window does. */
async function openWindow(root: string, clock: ShiftedClock): Promise<HostApi> {
  const host = await openTestHost(root, { clock });
  await host.watch();
  await host.lead();
  return host;
}

async function untilState(host: HostApi, id: string, state: WorkerSnapshot['state']): Promise<WorkerSnapshot> {
  const snapshot = await untilSnapshot(host, (seen) => workerIn(seen, id)?.state === state);
  const worker = workerIn(snapshot, id);
  if (worker === undefined) {
    throw new Error('unreachable');
  }
  return worker;
}

/** Ends a worker's process as the kernel or a person with `kill -9` does. */
async function killFromOutside(host: HostApi, id: string): Promise<void> {
  const { pid } = await untilState(host, id, 'running');
  process.kill(pid ?? Number.NaN, 'SIGKILL');
}

async function retriedAs(host: HostApi, id: string): Promise<string> {
  const snapshot = await untilSnapshot(host, ({ workers }) =>
    workers.some(({ entry, state }) => entry.extra['retry_of'] === id && state === 'running'),
  );
  return snapshot.workers.find(({ entry }) => entry.extra['retry_of'] === id)?.workerId ?? '';
}

/** Shows that the window still starts and watches, so that what has not come by now does not come. */
async function startSomethingElse(host: HostApi): Promise<void> {
  const id = await started(host, 'quick');
  await untilState(host, id, 'completed');
  await host.look();
}

describe('a retry that a person asks for', () => {
  it('is a new worker with the next count, at most twice per request, and each worker is retried once', async () => {
    const root = await workersProject();
    const first = await runCli(root, 'start', 'fails', '--wait');
    expect(first.code).toBe(1);
    const [source = ''] = workerFolders(root, 'fails');
    expect(await runCli(root, 'retry', source.slice(0, -1), '--wait')).toMatchObject({ code: 1 });
    const [, second = ''] = workerFolders(root, 'fails');
    const retried = await runCli(root, 'retry', second, '--json');
    expect(retried.code).toBe(0);
    const [, , third = ''] = workerFolders(root, 'fails');
    expect(JSON.parse(retried.stdout)).toMatchObject({
      schema: 1,
      worker_id: third,
      type: 'fails',
      status: 'starting',
    });
    const entries = registryOf(root);
    expect(
      [source, second, third].map((id) => [entries.get(id)?.['retry_count'], entries.get(id)?.['retry_of']]),
    ).toEqual([
      [0, undefined],
      [1, source],
      [2, second],
    ]);

    const again = await runCli(root, 'retry', source);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toBe(`Worker ${source} was already retried as ${second}. Retry that one.\n`);
    const host = await openTestHost(root);
    await host.waitForEnd(third, AbortSignal.timeout(20_000));
    const fourth = await runCli(root, 'retry', third);
    expect(fourth).toMatchObject({ code: 1, stdout: '' });
    expect(fourth.stderr).toContain('failed permanently after 2 retries');
    expect(workerFolders(root, 'fails')).toHaveLength(3);
    const seen = await host.look();
    expect(seen.workers.map(({ canRetry, attention }) => [canRetry, attention?.kind])).toEqual([
      [false, undefined],
      [false, undefined],
      [false, 'gave-up'],
    ]);
  });

  it('is refused while the worker runs, and nothing starts', async () => {
    const root = await workersProject();
    const host = await openWindow(root, new ShiftedClock());
    const id = await started(host, 'wait');
    await untilState(host, id, 'running');
    const outcome = await host.retry({ worker: id, requestedBy: 'cli' });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'wrong-state' } });
    expect(outcome.ok ? '' : outcome.error.message).toMatch(/\(status: running\)/);
    expect(workerFolders(root)).toEqual([id]);
    letGo(root);
    await untilState(host, id, 'completed');
  });

  it('is taken for a worker that nobody knows anything of', async () => {
    const root = await workersProject();
    const id = 'wkr-20260301-143022-quick';
    const entry = { worker_id: id, type: 'quick', status: 'running', started_at: '2026-03-01T14:30:22Z' };
    mkdirSync(workersDirOf(root), { recursive: true });
    writeFileSync(join(workersDirOf(root), 'registry.json'), JSON.stringify({ version: '1.0', workers: [entry] }));
    expect(await runCli(root, 'retry', id, '--wait')).toMatchObject({ code: 0 });
    const [made] = [...registryOf(root).values()].filter((one) => one['retry_of'] === id);
    expect(made).toMatchObject({ status: 'completed', retry_count: 1 });
    expect(registryOf(root).get(id)).toMatchObject({ status: 'unknown' });
  });
});

describe('a worker that somebody else killed', () => {
  it('is retried by itself after ten seconds and after a minute, and then no more', async () => {
    const root = await workersProject();
    const clock = new ShiftedClock();
    const host = await openWindow(root, clock);
    const first = await started(host, 'wait');
    await killFromOutside(host, first);
    const waiting = await untilState(host, first, 'backoff');
    expect(waiting).toMatchObject({ attention: null, canRetry: true, entry: { status: 'failed', retry_count: 0 } });
    expect((waiting.nextStartAt ?? 0) - (waiting.endedAt ?? 0)).toBe(10_000);
    await startSomethingElse(host);
    expect(workerFolders(root, 'wait')).toEqual([first]);

    clock.goAhead(10_000);
    const second = await retriedAs(host, first);
    expect(workerIn(await host.look(), first)).toMatchObject({ state: 'failed', attention: null, canRetry: false });
    await killFromOutside(host, second);
    const again = await untilState(host, second, 'backoff');
    expect((again.nextStartAt ?? 0) - (again.endedAt ?? 0)).toBe(MINUTE);

    clock.goAhead(MINUTE);
    const third = await retriedAs(host, second);
    await killFromOutside(host, third);
    const last = await untilState(host, third, 'failed');
    expect(last).toMatchObject({ attention: { kind: 'gave-up' }, canRetry: false, entry: { retry_count: 2 } });
    clock.goAhead(10 * MINUTE);
    await startSomethingElse(host);
    expect(workerFolders(root, 'wait')).toEqual([first, second, third]);
  });

  it('is retried once by the next leader when the window closed during the wait', async () => {
    const root = await workersProject();
    const clock = new ShiftedClock();
    const first = await openWindow(root, clock);
    const id = await started(first, 'wait');
    await killFromOutside(first, id);
    await untilState(first, id, 'backoff');
    await first.shutdown();
    clock.goAhead(5 * MINUTE);
    const second = await openWindow(root, clock);
    const retry = await retriedAs(second, id);
    await startSomethingElse(second);
    expect(workerFolders(root, 'wait')).toEqual([id, retry]);
    letGo(root);
    await untilState(second, retry, 'completed');
  });

  it('waits longer for its retry while no slot is free', async () => {
    const root = await workersProject({ maxConcurrent: 1 });
    const clock = new ShiftedClock();
    const host = await openWindow(root, clock);
    const id = await started(host, 'wait');
    await killFromOutside(host, id);
    await untilState(host, id, 'backoff');
    const other = await started(host, 'wait');
    await untilState(host, other, 'running');
    clock.goAhead(MINUTE);
    await host.look();
    expect(workerFolders(root, 'wait')).toEqual([id, other]);
    letGo(root);
    await untilState(host, other, 'completed');
    await untilSnapshot(host, ({ workers }) => workers.some(({ entry }) => entry.extra['retry_of'] === id));
    expect(workerFolders(root, 'wait')).toHaveLength(3);
  });

  it('ends a `start --wait` with its failure and says when it is retried', async () => {
    const root = await workersProject();
    const waiting = startCli(root, ['start', 'wait', '--wait']);
    await waiting.printed('Background worker started.');
    const host = await openTestHost(root);
    await host.watch();
    const [id = ''] = workerFolders(root);
    await killFromOutside(host, id);
    const { code, stdout } = await waiting.ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/failed: killed \(SIGKILL\)/);
    expect(stdout).toMatch(/It is retried in \d+ s \(1 of 2\) while a window or program leads this project\./);
  });
});

describe('a worker that failed by itself', () => {
  it('is not retried by itself, and needs a person', async () => {
    const root = await workersProject();
    const clock = new ShiftedClock();
    const host = await openWindow(root, clock);
    const id = await started(host, 'fails');
    const failed = await untilState(host, id, 'failed');
    expect(failed).toMatchObject({ nextStartAt: null, canRetry: true, attention: { kind: 'failed' } });
    clock.goAhead(5 * MINUTE);
    await startSomethingElse(host);
    expect(workerFolders(root, 'fails')).toEqual([id]);
  });
});

describe('a stop while a retry waits', () => {
  it.each([
    ['that a person asks for', true],
    ['that another program writes as a flag', false],
  ])('%s keeps it from ever starting, also in the next window', async (_title, asked) => {
    const root = await workersProject();
    const clock = new ShiftedClock();
    const host = await openWindow(root, clock);
    const id = await started(host, 'wait');
    await killFromOutside(host, id);
    await untilState(host, id, 'backoff');
    if (asked) {
      const outcome = await host.stop({ worker: id, force: false, requestedBy: 'cli' });
      const message = `Worker ${id} will not be retried by itself.`;
      expect(outcome).toEqual({ ok: true, value: { workerId: id, status: 'failed', message } });
    } else {
      writeFileSync(join(workersDirOf(root), id, 'stop-requested'), '');
    }
    await untilState(host, id, 'failed');
    clock.goAhead(5 * MINUTE);
    await startSomethingElse(host);
    await host.shutdown();
    const next = await openWindow(root, clock);
    await startSomethingElse(next);
    expect(workerFolders(root, 'wait')).toEqual([id]);
    expect(workerIn(await next.look(), id)).toMatchObject({ state: 'failed', nextStartAt: null, canRetry: true });
  });
});
