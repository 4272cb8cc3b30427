import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/base/clock';
import { silentLogger } from '../../src/core/base/logger';
import type { HostApi } from '../../src/core/host/api';
import { EventReader } from '../../src/core/host/eventReader';
import { Journal } from '../../src/core/host/journal';
import type { EventLine } from '../../src/core/protocol/events/eventLine';
import type { FleetEvent } from '../../src/core/protocol/events/fleetEvent';
import { livenessOf } from '../../src/core/system/processIdentity';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import { killIdentity } from '../support/keptWorker';
import { runCli, startCli } from '../support/runCli';
import { useScript } from '../support/scriptProcess';
import { tempProject } from '../support/tempProject';
import { openTestHost, untilSnapshot } from '../support/testHost';
import { letGo, started, workerFolders, workersDirOf, workersProject } from '../support/workersProject';

const openWindow = useScript('test/support/hostScript.ts');
const openJournal = useScript('test/support/journalScript.ts');
const asRoot = it.runIf(process.getuid?.() === 0);

async function eventsOf(workersDir: string): Promise<readonly EventLine[]> {
  const events: EventLine[] = [];
  const reader = new EventReader({ workersDir, clock: systemClock(), logger: silentLogger });
  await reader.read({ kind: 'all' }, (event) => events.push(event));
  return events;
}

/** What the log says of one worker, without numbers and times. */
async function courseOf(root: string, workerId: string): Promise<readonly string[]> {
  const events = (await eventsOf(workersDirOf(root))).filter(({ data }) => data['worker'] === workerId);
  return events.map(({ type, data }) => (type === 'WorkerStateChanged' ? String(data['to']) : type));
}

async function expectUnbroken(workersDir: string): Promise<readonly EventLine[]> {
  const events = await eventsOf(workersDir);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  return events;
}

function exitsOf(events: readonly EventLine[]): readonly unknown[] {
  return events.filter(({ type }) => type === 'WorkerExited').map(({ data }) => data['worker']);
}

async function ended(host: HostApi, workerId: string): Promise<void> {
  await untilSnapshot(host, ({ workers }) =>
    workers.some((worker) => worker.workerId === workerId && worker.endedAt !== null),
  );
}

/** Resolves once the log holds what is wanted. */
async function untilLogged(host: HostApi, wanted: (event: EventLine) => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const following = host.followEvents({ kind: 'all' }, (event) => {
      if (wanted(event)) {
        following.dispose();
        resolve();
      }
    });
  });
}

async function leading(root: string): Promise<HostApi> {
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  return host;
}

describe('the log of events', () => {
  it('tells each worker from its start to its end, and of what was stopped who asked and each step', async () => {
    const root = await workersProject();
    mkdirSync(workersDirOf(root), { recursive: true });
    const host = await leading(root);
    const crashed = await started(host, 'fails');
    await untilLogged(host, ({ type, data }) => type === 'WorkerStateChanged' && data['to'] === 'failed');
    expect(await courseOf(root, crashed)).toEqual(['WorkerStarted', 'starting', 'running', 'WorkerExited', 'failed']);
    const stopped = await started(host, 'wait');
    await host.stop({ worker: stopped, force: false, requestedBy: 'vscode' });
    await untilLogged(host, ({ type, data }) => type === 'WorkerStateChanged' && data['to'] === 'stopped');
    const course = await courseOf(root, stopped);
    expect(course.slice(0, 3)).toEqual(['WorkerStarted', 'starting', 'running']);
    expect(course.slice(-2)).toEqual(['WorkerExited', 'stopped']);
    expect(course).toContain('WorkerStopRequested');
    expect(course).toContain('stopping');
    await expectUnbroken(workersDirOf(root));
  });

  it('is made by no look', async () => {
    const root = await workersProject();
    await runCli(root, 'status');
    await runCli(root, 'events');
    expect(readdirSync(root)).not.toContain('.keysarium');
  });

  it('has an end that nobody saw who led once, as soon as somebody leads again', async () => {
    const root = await workersProject();
    mkdirSync(workersDirOf(root), { recursive: true });
    const window = openWindow({ args: [root, join(process.cwd(), 'dist')] });
    while (!(await window.line()).includes('"ready"')) {
      // Snapshots come before it.
    }
    window.say('start wait');
    while (!(await window.line()).includes('"outcome"')) {
      // As above.
    }
    await window.kill();
    const [worker = ''] = workerFolders(root);
    letGo(root);
    const looking = await openTestHost(root);
    await looking.watch();
    await ended(looking, worker);
    expect(exitsOf(await eventsOf(workersDirOf(root)))).toEqual([]);
    for (let round = 0; round < 3; round += 1) {
      const host = await leading(root);
      await untilLogged(host, ({ type }) => type === 'WorkerExited');
      await host.shutdown();
    }
    const events = await expectUnbroken(workersDirOf(root));
    expect(exitsOf(events)).toEqual([worker]);
    expect(await courseOf(root, worker)).toEqual(['WorkerStarted', 'starting', 'running', 'WorkerExited', 'completed']);
  });

  it('tells the fleet of a past moment', async () => {
    const root = await workersProject();
    mkdirSync(workersDirOf(root), { recursive: true });
    const host = await leading(root);
    const worker = await started(host, 'wait');
    await untilLogged(host, ({ data }) => data['to'] === 'running');
    const then = Date.now();
    letGo(root);
    await untilLogged(host, ({ data }) => data['to'] === 'completed');
    expect((await host.fleetAt(then)).workers.get(worker)?.state).toBe('running');
    expect((await host.fleetAt(Date.now())).workers.get(worker)?.state).toBe('completed');
  });

  it('has no gap and nothing twice when its leader is killed fifty times while it writes', async () => {
    const workersDir = await tempProject();
    let accepted = 0;
    for (let round = 0; round < 50; round += 1) {
      const journal = openJournal({ args: [workersDir, String(accepted)] });
      // Killed after some accepted lines, wherever it then is with the next one.
      for (let lines = 1 + ((round * 7) % 5); lines > 0; lines -= 1) {
        accepted = Number(await journal.line());
      }
      await journal.kill();
    }
    const events = await expectUnbroken(workersDir);
    const exits = exitsOf(events);
    expect(new Set(exits).size).toBe(exits.length);
    expect(exits.slice(0, accepted)).toEqual(
      Array.from({ length: accepted }, (_none, index) => `w${String(index + 1)}`),
    );
    expect(events.filter(({ type }) => type === 'LeaderChanged')).toHaveLength(50);
    expect(readdirSync(workersDir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

const start: FleetEvent = { type: 'StartRequested', data: { workerType: 't', by: 'cli' } };

async function journalIn(workersDir: string): Promise<Journal> {
  const lease = { verify: async () => Promise.resolve(true) };
  const journal = new Journal({
    workersDir,
    lease,
    clock: systemClock(),
    logger: silentLogger,
    surface: 'cli',
    pid: 1,
  });
  await journal.lead(1);
  return journal;
}

describe('a disk that refuses the log', () => {
  asRoot(
    'when full: starts are refused in plain words, what happened meanwhile is written once there is room',
    async () => {
      const folder = await tempProject();
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
      onTestFinished(() => {
        execFileSync('umount', ['-l', folder]);
      });
      const journal = await journalIn(folder);
      let taken = 0;
      execFileSync('sh', ['-c', `cat /dev/zero > '${folder}/ballast' 2>/dev/null || true`]);
      for (let outcome = await journal.require(start); outcome.ok; outcome = await journal.require(start)) {
        taken += 1;
      }
      expect(await journal.require(start)).toMatchObject({
        ok: false,
        error: { message: expect.stringContaining('full') },
      });
      journal.note({
        type: 'WorkerStarted',
        data: { worker: 'w', workerType: 't', startedAt: '', by: null, found: false },
      });
      await journal.idle();
      expect(await eventsOf(folder)).toHaveLength(taken + 1);
      expect(readFileSync(join(folder, 'events.jsonl'), 'utf8').endsWith('\n')).toBe(true);
      rmSync(join(folder, 'ballast'));
      expect(await journal.require(start)).toEqual({ ok: true, value: null });
      const events = await expectUnbroken(folder);
      expect(events.slice(-2).map(({ type }) => type)).toEqual(['WorkerStarted', 'StartRequested']);
    },
  );

  asRoot('when read-only: starts are refused in plain words until it can be written again', async () => {
    const folder = await tempProject();
    execFileSync('mount', ['--bind', folder, folder]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder]);
    });
    const journal = await journalIn(folder);
    execFileSync('mount', ['-o', 'remount,ro,bind', folder]);
    expect(await journal.require(start)).toMatchObject({ ok: false, error: { code: 'read-only' } });
    execFileSync('mount', ['-o', 'remount,rw,bind', folder]);
    expect(await journal.require(start)).toMatchObject({ ok: true });
    await expectUnbroken(folder);
  });

  asRoot('with too little room for one worker starts nothing, says how much is free, and makes no folder', async () => {
    const root = await workersProject();
    mkdirSync(workersDirOf(root), { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', workersDirOf(root)]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', workersDirOf(root)]);
    });
    const host = await openTestHost(root);
    const outcome = await host.start({ type: 'quick', requestedBy: 'cli' });
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'disk-full', message: expect.stringMatching(/(59|60) MB are free/) },
    });
    expect(workerFolders(root)).toEqual([]);
  });
});

describe('rollcall events', () => {
  it('begins where it is told to, and prints one JSON document a line', async () => {
    const root = await workersProject();
    await runCli(root, 'start', 'quick', '--wait');
    const all = (await runCli(root, 'events', '--json')).stdout.trim().split('\n');
    const documents = all.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(documents.map(({ seq }) => seq)).toEqual(documents.map((_one, index) => index + 1));
    expect(Object.keys(documents[0] ?? {})).toEqual(['schema', 'seq', 'type', 'timestamp', 'data', 'epoch']);
    const since = await runCli(root, 'events', '--since', '3', '--json');
    expect(since.stdout.trim().split('\n')).toEqual(all.slice(2));
    expect((await runCli(root, 'events', '--since', '1h')).stdout.trim().split('\n')).toHaveLength(all.length);
    expect((await runCli(root, 'events', '--since', '2999-01-01')).stdout).toBe('');
    expect((await runCli(root, 'events', '--since', 'yesterday')).code).toBe(2);
  });

  it('with -f shows what happens next, until Ctrl-C', async () => {
    const root = await workersProject();
    const following = startCli(root, ['events', '-f']);
    await runCli(root, 'start', 'quick', '--wait');
    await following.printed('starting → running');
    following.child.kill('SIGINT');
    expect((await following.ended).code).toBe(130);
  });
});

describe('rollcall why', () => {
  async function whyOf(root: string): Promise<Record<string, unknown>> {
    const [worker = ''] = workerFolders(root);
    const run = await runCli(root, 'why', worker, '--json');
    expect(run.code).toBe(0);
    const document = JSON.parse(run.stdout) as Record<string, unknown>;
    expect(Object.keys(document)).toEqual([
      'schema',
      'id',
      'state',
      'class',
      'exit',
      'outputs',
      'filesWritten',
      'lastLines',
      'evidence',
      'actions',
    ]);
    expect(document).toMatchObject({ schema: 1, id: worker });
    return document;
  }

  it('tells of a crash its code and last line, and what to do', async () => {
    const root = await workersProject();
    await runCli(root, 'start', 'fails', '--wait');
    expect(await whyOf(root)).toMatchObject({
      state: 'failed',
      class: 'crash',
      exit: { code: 3, signal: null, requestedBy: null, forced: false },
      lastLines: ['no disk'],
      actions: [expect.stringContaining('worker.log'), 'Retry it.'],
    });
    const text = (await runCli(root, 'why', workerFolders(root)[0] ?? '')).stdout;
    expect(text).toContain('crashed (exit 3)');
    expect(text).toContain('no disk');
  });

  it('tells of a worker that somebody killed which signal it was', async () => {
    const root = await workersProject();
    await runCli(root, 'start', 'wait');
    const [worker = ''] = workerFolders(root);
    const record = readKeeperRecord(readFileSync(join(workersDirOf(root), worker, 'keeper.json'), 'utf8'));
    if (record?.process === null || record === null) {
      throw new Error('the worker has no process');
    }
    await killIdentity(record.process);
    const host = await openTestHost(root);
    await host.waitForEnd(worker, AbortSignal.timeout(30_000));
    expect(await whyOf(root)).toMatchObject({
      state: 'backoff',
      class: 'killed by someone else',
      exit: { code: null, signal: 'SIGKILL' },
      actions: [expect.stringContaining('who ended it'), expect.stringContaining('by itself'), expect.any(String)],
    });
  });

  it('tells of a program that is not installed what to install or correct', async () => {
    const types = { absent: { description: 'no such program', command: ['rollcall-no-such-program'] } };
    const root = await workersProject({ types });
    expect((await runCli(root, 'start', 'absent')).code).toBe(1);
    const why = await whyOf(root);
    expect(why).toMatchObject({ state: 'failed', class: 'not installed' });
    expect((why['actions'] as string[])[0]).toMatch(/Install the program/);
  });

  it('tells of a stopped worker who asked', async () => {
    const root = await workersProject();
    await runCli(root, 'start', 'wait');
    await runCli(root, 'stop', workerFolders(root)[0] ?? '', '--wait');
    expect(await whyOf(root)).toMatchObject({ state: 'stopped', class: 'asked to stop', exit: { requestedBy: 'cli' } });
  });

  it('tells of a completed worker and of one that runs that nothing is wrong', async () => {
    const root = await workersProject();
    await runCli(root, 'start', 'quick', '--wait');
    expect(await whyOf(root)).toMatchObject({
      state: 'completed',
      class: 'done',
      exit: { code: 0 },
      lastLines: ['done'],
    });
    await runCli(root, 'start', 'wait');
    const running = workerFolders(root, 'wait')[0] ?? '';
    const { stdout } = await runCli(root, 'why', running, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ state: 'running', class: null, exit: null });
  });

  it('of an unknown worker is refused', async () => {
    const root = await workersProject();
    expect((await runCli(root, 'why', 'wkr-x')).code).toBe(1);
  });
});

describe('rollcall supervise', () => {
  it('leads; beside a leader it follows, takes over when that one is gone, and leaves workers alone', async () => {
    const root = await workersProject();
    await runCli(root, 'start', 'wait');
    const first = startCli(root, ['supervise']);
    await first.printed('Leads (epoch');
    const second = startCli(root, ['supervise', '--json']);
    await second.printed('"self":false');
    first.child.kill('SIGKILL');
    await second.printed('"self":true');
    second.child.kill('SIGINT');
    expect(await second.ended).toMatchObject({ code: 0 });
    const [worker = ''] = workerFolders(root);
    const record = readKeeperRecord(readFileSync(join(workersDirOf(root), worker, 'keeper.json'), 'utf8'));
    const process = record?.process ?? null;
    expect(process === null ? 'none' : await livenessOf(process)).toBe('alive');
    writeFileSync(join(root, 'go'), '');
  });
});
