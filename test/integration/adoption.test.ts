import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import type { ProcessIdentity } from '../../src/core/protocol/keeper/processIdentity';
import type { WorkerSnapshot } from '../../src/core/protocol/snapshot';
import type { Supervisor } from '../../src/core/supervisor/supervisor';
import { identityOf, livenessOf } from '../../src/core/system/processIdentity';
import { bundledProgram } from '../support/bundledProgram';
import { KeptWorker, killIdentity, WORKER_PROGRAMS } from '../support/keptWorker';
import { useTempFolder } from '../support/tempFolder';

/** What a new leader finds (lifecycle §7), beyond the plain combinations of supervisor.test.ts. */
const keeper = bundledProgram('src/keeper/main.ts');
const temp = useTempFolder('adoption');
let worker: KeptWorker;
let supervisors: Supervisor[];

beforeEach(() => {
  worker = new KeptWorker(temp.path, keeper.path());
  supervisors = [];
});

afterEach(async () => {
  for (const supervisor of supervisors) {
    supervisor.dispose();
  }
  await worker.end();
});

function aSupervisor(): Supervisor {
  const supervisor = worker.supervisor();
  supervisors.push(supervisor);
  return supervisor;
}

/** Starts a worker under a supervisor that leaves at once; gives its record and its process. */
async function leftAlone(program: string): Promise<{ record: KeeperRecord; process: ProcessIdentity }> {
  const supervisor = aSupervisor();
  expect(await supervisor.start(worker.spec(program))).toMatchObject({ ready: true });
  supervisor.dispose();
  const record = (await worker.facts()).keeper?.record;
  const process = record?.process ?? null;
  if (record === undefined || process === null) {
    throw new Error('the worker has no process');
  }
  onTestFinished(async () => killIdentity(process));
  return { record, process };
}

function rewrite(record: KeeperRecord): void {
  writeFileSync(join(worker.folder, 'keeper.json'), JSON.stringify(record));
}

async function until(matches: object): Promise<WorkerSnapshot> {
  return await vi.waitFor(
    async () => {
      const snapshot = await worker.snapshot();
      expect(snapshot).toMatchObject(matches);
      return snapshot;
    },
    { timeout: 60_000, interval: 20 },
  );
}

async function adopt(): Promise<void> {
  await aSupervisor().adopt([await worker.facts()], 2);
}

/** A process of somebody else. */
function stranger(): ChildProcess {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** The number of a thread of this very process, which answers signal 0 although it is no process. */
async function threadId(): Promise<number> {
  const before = new Set(readdirSync('/proc/self/task'));
  const thread = new Worker('setInterval(() => undefined, 1000)', { eval: true });
  onTestFinished(async () => {
    await thread.terminate();
  });
  await new Promise((resolve) => thread.once('online', resolve));
  return Number(readdirSync('/proc/self/task').find((id) => !before.has(id)));
}

describe.runIf(process.platform === 'linux')('a record whose number belongs to somebody else by now', () => {
  it('reads dead, closes the record as unknown, and the stranger is left alone', async () => {
    const { record, process: own } = await leftAlone(WORKER_PROGRAMS.obeys);
    await killIdentity(record.keeper);
    await killIdentity(own);
    const child = stranger();
    const other = await identityOf(child.pid ?? -1);
    rewrite({ ...record, process: { pid: child.pid ?? -1, pgid: child.pid ?? -1, startTime: own.startTime } });
    expect(await worker.snapshot()).toMatchObject({ state: 'unknown', pid: null });
    await adopt();
    await until({ state: 'unknown', exit: { class: 'unknown exit' } });
    expect(other && (await livenessOf(other))).toBe('alive');
  });

  it('reads dead also where the number is that of a thread, and nobody is signalled', async () => {
    const { record, process: own } = await leftAlone(WORKER_PROGRAMS.obeys);
    await killIdentity(record.keeper);
    await killIdentity(own);
    const tid = await threadId();
    expect(process.kill(tid, 0)).toBe(true);
    rewrite({ ...record, process: { pid: tid, pgid: tid, startTime: own.startTime } });
    expect(await worker.snapshot()).toMatchObject({ state: 'unknown', pid: null });
    await adopt();
    await until({ state: 'unknown', exit: { class: 'unknown exit' } });
  });

  it('gets a new keeper over its living process where it is the number of the keeper', async () => {
    const { record, process: own } = await leftAlone(WORKER_PROGRAMS.endsWhenTold);
    await killIdentity(record.keeper);
    const child = stranger();
    const other = await identityOf(child.pid ?? -1);
    rewrite({ ...record, keeper: { pid: child.pid ?? -1, startTime: record.keeper.startTime } });
    await adopt();
    expect(await until({ state: 'running', pid: own.pid })).toMatchObject({ owned: true });
    expect((await worker.facts()).keeper).toMatchObject({ keeper: 'alive', process: 'alive' });
    expect(other && (await livenessOf(other))).toBe('alive');
  });
});

describe('a keeper that is frozen while its worker dies', () => {
  it('stays the only one, and records the exit once when it goes on', async () => {
    const { record, process: own } = await leftAlone(WORKER_PROGRAMS.obeys);
    process.kill(record.keeper.pid, 'SIGSTOP');
    onTestFinished(async () => killIdentity(record.keeper));
    await killIdentity(own);
    const adopted = adopt();
    process.kill(record.keeper.pid, 'SIGCONT');
    await adopted;
    const { exit } = await until({ state: 'failed' });
    expect(exit).toMatchObject({ code: null, signal: 'SIGKILL' });
    const { keeper: who, attempts } = JSON.parse(
      readFileSync(join(worker.folder, 'keeper.json'), 'utf8'),
    ) as KeeperRecord;
    expect([who, attempts.length]).toEqual([record.keeper, 1]);
  });
});

describe('a keeper that died in the middle of the spawn', () => {
  it('leaves no worker that nobody knows of', async () => {
    const { record, process: own } = await leftAlone(WORKER_PROGRAMS.endsWhenTold);
    await killIdentity(record.keeper);
    rewrite({ ...record, process: null, attempts: [] });
    await adopt();
    await until({ state: 'unknown' });
    await vi.waitFor(
      async () => {
        expect(await livenessOf(own)).toBe('dead');
      },
      { timeout: 60_000, interval: 20 },
    );
  });
});

describe('a record that cannot be read', () => {
  it('whose keeper is dead too is made again by the next leader, and its process is ended and not left alone', async () => {
    const { record, process: own } = await leftAlone(WORKER_PROGRAMS.endsWhenTold);
    await killIdentity(record.keeper);
    writeFileSync(join(worker.folder, 'keeper.json'), '{"v": 1, "nonce');
    await adopt();
    await until({ state: 'unknown', exit: { class: 'unknown exit' } });
    expect(await livenessOf(own)).toBe('dead');
  });

  it('whose keeper lives is mended by that keeper, and no second one starts anything', async () => {
    const { record, process: own } = await leftAlone(WORKER_PROGRAMS.endsWhenTold);
    writeFileSync(join(worker.folder, 'keeper.json'), '');
    await adopt();
    await until({ state: 'running', pid: own.pid });
    expect((await worker.facts()).keeper?.record.keeper).toEqual(record.keeper);
  });
});
