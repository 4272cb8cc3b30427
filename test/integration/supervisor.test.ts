import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { KeeperReady } from '../../src/core/protocol/keeper/keeperSpec';
import type { ProcessIdentity } from '../../src/core/protocol/keeper/processIdentity';
import type { StopReceipt } from '../../src/core/protocol/keeper/stopReceipt';
import type { WorkerSnapshot } from '../../src/core/protocol/snapshot';
import type { Supervisor } from '../../src/core/supervisor/supervisor';
import { identityOf, livenessOf } from '../../src/core/system/processIdentity';
import { bundledProgram } from '../support/bundledProgram';
import { KeptWorker, killIdentity, WORKER_PROGRAMS } from '../support/keptWorker';
import { useScript } from '../support/scriptProcess';
import { useTempFolder } from '../support/tempFolder';

const keeper = bundledProgram('src/keeper/main.ts');
const runSupervisor = useScript('test/support/supervisorScript.ts');
const temp = useTempFolder('süpervisor 木');

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

async function start(supervisor: Supervisor, program: string, parts = {}): Promise<void> {
  expect(await supervisor.start(worker.spec(program, parts))).toMatchObject({ ready: true });
}

async function adopt(supervisor: Supervisor, epoch: number): Promise<void> {
  await supervisor.adopt([await worker.facts()], epoch);
}

async function stop(supervisor: Supervisor, epoch = 1, force = false): Promise<StopReceipt | null> {
  return await supervisor.stop({ facts: await worker.facts(), epoch, force, requestedBy: 'vscode' });
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

function steps(receipt: StopReceipt | null): readonly string[] {
  return receipt?.steps.map(({ step }) => step) ?? [];
}

function heardChanges(supervisor: Supervisor): readonly string[] {
  const changes: string[] = [];
  supervisor.onDidChange((workerId) => changes.push(workerId));
  return changes;
}

async function pidOf(): Promise<number> {
  const { pid } = await until({ state: 'running' });
  expect(pid).not.toBeNull();
  return pid ?? -1;
}

/** Its program has come to where it hears signals. */
async function working(): Promise<void> {
  await vi.waitFor(
    () => {
      expect(readFileSync(join(worker.folder, 'output.raw'), 'utf8')).toContain('working');
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** The child that a worker names in its folder; ended with the test at the latest. */
async function childOf(): Promise<ProcessIdentity> {
  const path = join(worker.folder, 'child');
  const pid = await vi.waitFor(() => Number(readFileSync(path, 'utf8')), { timeout: 60_000, interval: 20 });
  const child = await identityOf(pid);
  if (child === null) {
    throw new Error(`the child ${pid} is gone already`);
  }
  onTestFinished(async () => killIdentity(child));
  return child;
}

describe('a supervisor', () => {
  it('starts a worker and hears of its end', async () => {
    const supervisor = aSupervisor();
    const changes = heardChanges(supervisor);
    await start(supervisor, 'process.exit(3)');
    const ended = await until({ state: 'failed' });
    expect(ended.exit).toMatchObject({ code: 3, class: 'crash', requestedBy: null });
    await vi.waitFor(() => {
      // Starting, running, failed.
      expect(changes).toHaveLength(3);
    }, 60_000);
    expect(await stop(supervisor)).toBeNull();
  });

  it('tells why a command cannot be run, and the worker is failed', async () => {
    const spec = worker.spec('');
    const answer = await aSupervisor().start({ ...spec, command: { ...spec.command, command: '/nowhere/at all' } });
    expect(answer).toEqual({ ready: false, message: expect.stringContaining('/nowhere/at all') as string });
    expect(await worker.snapshot()).toMatchObject({ state: 'failed', exit: { class: 'not installed' } });
  });

  it('asks a worker to stop, and the receipt says who asked', async () => {
    const supervisor = aSupervisor();
    await start(supervisor, WORKER_PROGRAMS.obeys);
    expect(await stop(supervisor)).toMatchObject({ requestedBy: 'vscode' });
    const { exit, stop: receipt } = await until({ state: 'stopped' });
    expect(exit).toMatchObject({ code: 0, requestedBy: 'vscode', forced: false });
    expect(steps(receipt)).toEqual(['asked', 'verified']);
  });

  it('a second and a third stop press on to the kill', async () => {
    const supervisor = aSupervisor();
    await start(supervisor, WORKER_PROGRAMS.stubborn);
    await working();
    expect(steps(await stop(supervisor))).toEqual(['asked']);
    expect((await worker.snapshot()).state).toBe('stopping');
    await stop(supervisor);
    await stop(supervisor);
    const { exit, stop: receipt } = await until({ state: 'stopped' });
    expect(exit).toMatchObject({ signal: 'SIGKILL', forced: true });
    expect(steps(receipt)).toEqual(['asked', 'terminate', 'kill', 'verified']);
  });

  it('a forced stop starts with the signal', async () => {
    const supervisor = aSupervisor();
    await start(supervisor, WORKER_PROGRAMS.endsWhenTold);
    await stop(supervisor, 1, true);
    const { exit, stop: receipt } = await until({ state: 'stopped' });
    expect(exit).toMatchObject({ signal: 'SIGTERM', forced: true });
    expect(steps(receipt)).toEqual(['terminate', 'verified']);
  });

  it('that goes away leaves its worker alone', async () => {
    const supervisor = aSupervisor();
    await start(supervisor, WORKER_PROGRAMS.endsWhenTold);
    const pid = await pidOf();
    supervisor.dispose();
    expect(await pidOf()).toBe(pid);
    expect(await supervisor.start(worker.spec(''))).toMatchObject({ ready: false });
  });
});

describe('a worker whose starting process was killed', () => {
  async function startedElsewhere(program: keyof typeof WORKER_PROGRAMS): Promise<ReturnType<typeof runSupervisor>> {
    const first = runSupervisor({ args: [temp.path, keeper.path(), program] });
    expect(JSON.parse(await first.line()) as KeeperReady).toMatchObject({ ready: true });
    return first;
  }

  it('goes on, is adopted as the same process, and its exit code is known', async () => {
    const first = await startedElsewhere('endsWhenTold');
    const pid = await pidOf();
    await first.kill();
    const supervisor = aSupervisor();
    await adopt(supervisor, 2);
    expect(await pidOf()).toBe(pid);
    writeFileSync(join(worker.folder, 'end'), '');
    expect((await until({ state: 'failed' })).exit).toMatchObject({ code: 3, class: 'crash' });
  });

  it('is stopped by a process that only comes for this', async () => {
    const first = await startedElsewhere('obeys');
    await pidOf();
    await first.kill();
    expect(steps(await stop(aSupervisor(), 2))).toEqual(['asked']);
    await until({ state: 'stopped' });
  });

  it('in the middle of a stop stays in that stop: adopting does not press on, a new stop does', async () => {
    const first = await startedElsewhere('stubborn');
    await working();
    first.say('stop');
    expect(steps(JSON.parse(await first.line()) as StopReceipt)).toEqual(['asked']);
    await first.kill();
    const supervisor = aSupervisor();
    await adopt(supervisor, 2);
    await adopt(supervisor, 2);
    expect(await worker.snapshot()).toMatchObject({ state: 'stopping', stop: { requestedBy: 'first window' } });
    expect(steps((await worker.snapshot()).stop)).toEqual(['asked']);
    await stop(supervisor, 2);
    expect(steps(await stop(supervisor, 2)).slice(0, 3)).toEqual(['asked', 'terminate', 'kill']);
    await until({ state: 'stopped' });
  });

  it('between its stop flag and its ladder is stopped by whoever adopts it', async () => {
    const first = await startedElsewhere('endsWhenTold');
    await pidOf();
    await first.kill();
    writeFileSync(join(worker.folder, 'stop-requested'), '');
    const supervisor = aSupervisor();
    await adopt(supervisor, 2);
    const { stop: receipt } = await until({ state: 'stopping', stop: { steps: [{ step: 'asked' }] } });
    expect(receipt).toMatchObject({ requestedBy: 'stop flag' });
    // The first who gives a name is taken for the one who raised the flag.
    expect(steps(await stop(supervisor, 2))).toEqual(['asked']);
    await stop(supervisor, 2);
    await until({ state: 'stopped' });
  });
});

describe('a worker whose keeper was killed', () => {
  it('gets a new keeper over the same process, and its exit code is said to be unknown', async () => {
    const supervisor = aSupervisor();
    await start(supervisor, WORKER_PROGRAMS.endsWhenTold);
    const pid = await pidOf();
    const old = (await worker.facts()).keeper?.record.keeper;
    expect(old).toBeDefined();
    if (old !== undefined) {
      await killIdentity(old);
    }
    await vi.waitFor(
      async () => {
        const facts = await worker.facts();
        expect(facts.keeper).toMatchObject({ keeper: 'alive', process: 'alive' });
        expect(facts.keeper?.record.keeper).not.toEqual(old);
      },
      { timeout: 60_000, interval: 20 },
    );
    expect(await pidOf()).toBe(pid);
    writeFileSync(join(worker.folder, 'end'), '');
    expect((await until({ state: 'unknown' })).exit).toMatchObject({ class: 'unknown exit', code: null });
  });

  it('together with the window is taken over by the next leader', async () => {
    const first = runSupervisor({ args: [temp.path, keeper.path(), 'obeys'] });
    await first.line();
    const pid = await pidOf();
    await first.kill();
    const record = (await worker.facts()).keeper?.record;
    if (record !== undefined) {
      await killIdentity(record.keeper);
    }
    const supervisor = aSupervisor();
    await adopt(supervisor, 2);
    expect(await worker.snapshot()).toMatchObject({ state: 'running', pid, owned: true });
    expect(steps(await stop(supervisor, 2))).toEqual(['asked']);
    await until({ state: 'stopped' });
  });

  it('and who ended then as well is unknown, never failed', async () => {
    const first = runSupervisor({ args: [temp.path, keeper.path(), 'obeys'] });
    await first.line();
    await pidOf();
    await first.kill();
    await worker.end();
    const supervisor = aSupervisor();
    await adopt(supervisor, 2);
    const ended = await vi.waitFor(
      async () => {
        const { exit, ...snapshot } = await worker.snapshot();
        expect(exit).toMatchObject({ class: 'unknown exit', code: null });
        return snapshot;
      },
      { timeout: 60_000, interval: 20 },
    );
    expect(ended).toMatchObject({ state: 'unknown', attention: null });
    expect(await stop(supervisor, 2)).toBeNull();
  });

  it('and who left a child behind is rid of it by the next leader', async () => {
    const first = runSupervisor({ args: [temp.path, keeper.path(), 'forks'] });
    await first.line();
    await pidOf();
    await first.kill();
    const child = await childOf();
    await worker.end();
    expect(await livenessOf(child)).toBe('alive');
    await adopt(aSupervisor(), 2);
    const { exit } = await until({ state: 'unknown', exit: expect.objectContaining({ class: 'unknown exit' }) });
    expect([exit?.code, await livenessOf(child)]).toEqual([null, 'dead']);
  });
});

describe('two supervisors', () => {
  it('the one with the lower epoch can do nothing any more, and the worker does not notice', async () => {
    const older = aSupervisor();
    await start(older, WORKER_PROGRAMS.obeys);
    const pid = await pidOf();
    const newer = aSupervisor();
    await adopt(newer, 2);
    expect(await stop(older, 1)).toBeNull();
    expect(await stop(older, 1)).toBeNull();
    expect(await worker.snapshot()).toMatchObject({ state: 'running', pid, stop: null });
    expect(await stop(newer, 2)).toMatchObject({ requestedBy: 'vscode' });
    await until({ state: 'stopped' });
  });

  it('and a process that only looks is obeyed by no keeper', async () => {
    const supervisor = aSupervisor();
    await start(supervisor, WORKER_PROGRAMS.obeys);
    const identity = (await worker.facts()).keeper?.record.process;
    expect(await stop(aSupervisor(), 0)).toBeNull();
    expect(identity && (await livenessOf(identity))).toBe('alive');
    expect((await worker.snapshot()).state).toBe('running');
  });
});
