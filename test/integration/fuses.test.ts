import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WorkerSnapshot } from '../../src/core/protocol/snapshot';
import { parseMemory, processMemory } from '../../src/core/system/processMemory';
import { unwatchedText } from '../../src/keeper/fuseBox';
import { eventually } from '../support/keeperRig';
import { runCli } from '../support/runCli';
import { openTestHost, untilSnapshot } from '../support/testHost';
import { started, workersDirOf, workersProject } from '../support/workersProject';

const grow = `const held = []; setInterval(() => { held.push(Buffer.alloc(20 * 1024 * 1024, 1)); }, 20)`;
const types = {
  endless: {
    description: 'never ends by itself',
    command: ['node', '-e', 'setInterval(() => {}, 1000)'],
    limits: { minutes: 0.01 },
    graceSeconds: 1,
  },
  hungry: {
    description: 'takes more and more memory, in a child',
    command: ['sh', '-c', `node -e '${grow}'; true`],
    limits: { memoryMB: 200 },
    graceSeconds: 1,
  },
  modest: {
    description: 'stays below its limits',
    command: ['node', '-e', '0'],
    limits: { minutes: 5, memoryMB: 2000 },
  },
};

function keeperPidOf(root: string, workerId: string): number {
  const record = readFileSync(join(workersDirOf(root), workerId, 'keeper.json'), 'utf8');
  return (JSON.parse(record) as { keeper: { pid: number } }).keeper.pid;
}

async function endOf(root: string, type: string): Promise<WorkerSnapshot> {
  const host = await openTestHost(root);
  return await host.waitForEnd(await started(host, type), AbortSignal.timeout(50_000));
}

describe('a fuse', () => {
  it('for wall time ends the worker and says so in row, log and reason', async () => {
    const root = await workersProject({ types });
    const worker = await endOf(root, 'endless');
    expect(worker).toMatchObject({
      state: 'stopped',
      attention: { kind: 'fuse', text: 'wall time: 0.01 min' },
      exit: { class: 'asked to stop', requestedBy: 'fuse', forced: true },
    });
    const why = await runCli(root, 'why', worker.workerId);
    expect(why.stdout).toContain('Fuse blown: wall time: 0.01 min');
    expect(why.stdout).toContain('Raise its limit');
    expect(why.stdout).toMatch(/Fuse blown, so the worker is being ended/);
  });

  it('is named with what to do to whoever waits for the end in a terminal', async () => {
    const run = await runCli(await workersProject({ types }), 'start', 'endless', '--wait');
    expect(run.code).toBe(1);
    expect(run.stdout).toContain(' stopped by a fuse (wall time: 0.01 min).');
    expect(run.stdout).toContain('Raise its limit in .vscode/workers.json');
    expect(run.stdout).toMatch(/Reset: rollcall fuse reset wkr-\S+-endless\n$/);
  });

  it('that blew is reset by a person: its worker needs nobody any more and may be retried, once', async () => {
    const root = await workersProject({ types });
    const { workerId } = await endOf(root, 'endless');
    const host = await openTestHost(root);
    expect(await host.retry({ worker: workerId, requestedBy: 'cli' })).toMatchObject({ ok: false });
    const reset = await runCli(root, 'fuse', 'reset', workerId, '--json');
    expect(JSON.parse(reset.stdout)).toMatchObject({ worker_id: workerId, fuse: 'wall time: 0.01 min' });
    const { workers } = await host.refresh();
    expect(workers).toMatchObject([{ state: 'stopped', attention: null, canRetry: true, fuses: { blown: {} } }]);
    const again = await runCli(root, 'fuse', 'reset', workerId);
    expect(again).toMatchObject({ code: 1, stderr: `Worker ${workerId} has no blown fuse.\n` });
    expect(await host.retry({ worker: workerId, requestedBy: 'cli' })).toMatchObject({ ok: true });
    expect(await host.retry({ worker: workerId, requestedBy: 'cli' })).toMatchObject({ ok: false });
  });

  it('for memory says in the log that it cannot blow on a system that does not tell how much a process has', () => {
    const limits = { minutes: null, memoryMB: 200 };
    expect(unwatchedText(limits, false)).toMatch(/limit of 200 MB is not watched: this system/);
    expect(unwatchedText(limits, true)).toBeNull();
    expect(unwatchedText({ minutes: 5, memoryMB: null }, false)).toBeNull();
  });

  it.runIf(existsSync('/proc/self/status'))('for memory counts the whole tree and ends all of it', async () => {
    const root = await workersProject({ types });
    const worker = await endOf(root, 'hungry');
    expect(worker).toMatchObject({ state: 'stopped', attention: { kind: 'fuse', text: 'memory: 200 MB' } });
    // A finished receipt means that the tree was seen empty.
    expect(worker.stop).toMatchObject({ finished: true });
  });

  it('that has no reason to blow changes nothing', async () => {
    const worker = await endOf(await workersProject({ types }), 'modest');
    expect(worker).toMatchObject({ state: 'completed', attention: null, fuses: { blown: null } });
  });
});

describe('the fuse of a session agent', () => {
  it('ends it, is the same row in the inbox, and is reset by its name', async () => {
    const idle = { command: ['node', '-e', 'setInterval(() => {}, 1000)'], limits: { minutes: 0.01 }, graceSeconds: 1 };
    const root = await workersProject({ agents: { idle } });
    const host = await openTestHost(root);
    mkdirSync(workersDirOf(root), { recursive: true });
    await host.lead();
    await host.watch();
    expect(await host.session.startAgent({ agent: 'idle', requestedBy: 'cli' })).toMatchObject({ ok: true });
    const { session } = await untilSnapshot(host, (snapshot) => (snapshot.session?.inbox.length ?? 0) > 0);
    expect(session?.inbox).toMatchObject([{ id: 'agent:idle:fuse', kind: 'fuse', text: 'wall time: 0.01 min' }]);
    const status = await runCli(root, 'status', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({
      fuses: [{ id: 'idle', worker: null, agent: 'idle', fuse: 'wall time: 0.01 min' }],
    });
    expect((await runCli(root, 'fuse', 'reset', 'idle')).stdout).toContain('It can be started again.');
    await untilSnapshot(host, (snapshot) => snapshot.session?.inbox.length === 0);
    expect((await runCli(root, 'fuse', 'reset', 'idle')).code).toBe(1);
    expect(await host.session.startAgent({ agent: 'idle', requestedBy: 'cli' })).toMatchObject({ ok: true });
    await untilSnapshot(host, (snapshot) => (snapshot.session?.inbox.length ?? 0) > 0);
  });
});

describe('the fuse of the output', () => {
  const burst = `
    const fs = require('node:fs');
    const until = (name, then) => (fs.existsSync(name) ? then() : setTimeout(until, 20, name, then));
    until('go', () => {
      for (let i = 0; i < 8; i += 1) fs.writeSync(1, 'x'.repeat(1024 * 1024 - 1) + '\\n');
      until('end', () => process.exit(0));
    });`;
  const loud = { description: 'writes 8 MB at once', command: ['node', '-e', burst], limits: { outputMB: 1 } };

  it('blows when a part is dropped, ends nobody, is reset at any time, and makes no retry possible', async () => {
    const root = await workersProject({ types: { loud } });
    const host = await openTestHost(root);
    await host.watch();
    const workerId = await started(host, 'loud');
    const keeper = keeperPidOf(root, workerId);
    // It cannot read while that comes, so it has to drop.
    process.kill(keeper, 'SIGSTOP');
    writeFileSync(join(root, 'go'), '');
    await eventually(async () => {
      await Promise.resolve();
      expect(statSync(join(workersDirOf(root), workerId, 'output.raw')).size).toBe(8 * 1024 * 1024);
    });
    process.kill(keeper, 'SIGCONT');
    const { workers } = await untilSnapshot(host, (snapshot) => snapshot.workers[0]?.attention?.kind === 'fuse');
    expect(workers).toMatchObject([{ state: 'running', health: 'flooding', attention: { text: 'output: 1 MB' } }]);
    const reset = await runCli(root, 'fuse', 'reset', workerId);
    expect(reset).toMatchObject({ code: 0, stdout: `The fuse of worker ${workerId} is reset (output: 1 MB).\n` });
    await untilSnapshot(host, (snapshot) => snapshot.workers[0]?.attention === null);
    await host.stop({ worker: workerId, force: true, requestedBy: 'cli' });
    const end = await host.waitForEnd(workerId, AbortSignal.timeout(30_000));
    expect(end).toMatchObject({ state: 'stopped', attention: null, canRetry: false });
    const events = await runCli(root, 'events');
    expect(events.stdout).toContain(`FuseBlown  ${workerId}  fuse output: 1 MB`);
    expect(events.stdout).toContain(`FuseReset  ${workerId}  fuse output: 1 MB`);
  });
});

describe('the memory of a process', () => {
  it('is read where the system tells it, and is null for one that is gone', () => {
    expect(parseMemory('Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n')).toEqual({
      residentBytes: 1_048_576,
      peakBytes: 2_097_152,
    });
    expect(parseMemory('Name:\tx\nState:\tZ (zombie)\n')).toBeNull();
    expect(processMemory(2 ** 30)).toBeNull();
  });
});
