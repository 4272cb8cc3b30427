import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import type { SessionSnapshot } from '../../src/core/protocol/actors/sessionSnapshot';
import { endKeepersOf } from '../support/endKeepersOf';
import { runCli } from '../support/runCli';
import { agentIn, good, logOf, rawAgentCommand, sessionProject, untilSession } from '../support/sessionProject';
import { openTestHost, untilSnapshot } from '../support/testHost';
import { letGo, started, workerFolders, workersDirOf, workersProject } from '../support/workersProject';

const MB = 1024 * 1024;
const by = { requestedBy: 'cli' } as const;
const types = {
  loud: {
    description: 'writes 700 KB',
    command: ['node', '-e', `for (let i = 0; i < 7; i += 1) console.log('x'.repeat(100 * 1024 - 1))`],
  },
  quick: { description: 'ends at once', command: ['node', '-e', 'console.log("done")'] },
  wait: { description: 'waits to be told', command: ['node', 'wait.js'] },
};
const limits = { totalLogsMB: 1 };
const asRoot = it.runIf(process.getuid?.() === 0 && process.platform === 'linux');

async function blownProject(): Promise<string> {
  const root = await workersProject({ types, limits });
  await runCli(root, 'start', 'loud', '--wait');
  return root;
}

interface Told {
  readonly type: string;
  readonly data: { readonly worker: string | null; readonly fuse: string };
}

async function fuseEvents(root: string): Promise<readonly string[]> {
  const { stdout } = await runCli(root, 'events', '--json');
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told);
  return events.flatMap(({ type, data }) =>
    type.startsWith('Fuse') ? [`${type} ${data.worker ?? 'project'} ${data.fuse}`] : [],
  );
}

describe('the fuse for all logs together', () => {
  it('refuses a start, names the biggest and what to do, and is a row of every surface until it is reset', async () => {
    const root = await blownProject();
    const [loud = ''] = workerFolders(root, 'loud');
    const refused = await runCli(root, 'start', 'quick', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: { code: 'fuse', message: expect.stringContaining(`most of it ${loud} 1.4 MB`) },
    });
    expect(workerFolders(root)).toEqual([loud]);

    const status = await runCli(root, 'status');
    expect(status.stderr).toContain('Fuse blown: total logs: 1 MB (1.4 MB now');
    expect(JSON.parse((await runCli(root, 'status', '--json')).stdout)).toMatchObject({
      fuses: [{ id: 'logs', worker: null, fuse: 'total logs: 1 MB' }],
    });
    expect(JSON.parse((await runCli(root, 'inbox', '--json')).stdout)).toMatchObject({
      inbox: [{ id: 'fuse:logs', kind: 'fuse', worker: null }],
    });

    const snooze = await runCli(root, 'inbox', 'snooze', 'fuse:logs', '1h');
    expect(snooze).toMatchObject({ code: 1, stderr: expect.stringContaining('rollcall fuse reset logs') });

    const reset = await runCli(root, 'fuse', 'reset', 'logs');
    expect(reset).toMatchObject({ code: 0, stdout: expect.stringContaining('counts from the 1.4 MB that there are') });
    expect((await runCli(root, 'fuse', 'reset', 'logs')).stderr).toContain('The fuse logs is not blown.');
    expect((await runCli(root, 'start', 'quick', '--wait')).code).toBe(0);
    expect(await fuseEvents(root)).toEqual([
      'FuseBlown project total logs: 1 MB',
      'FuseReset project total logs: 1 MB',
    ]);
  });

  it('blows again behind as much again', async () => {
    const root = await blownProject();
    await runCli(root, 'start', 'quick');
    await runCli(root, 'inbox', 'dismiss', 'fuse:logs');
    const [loud = ''] = workerFolders(root, 'loud');
    appendFileSync(join(workersDirOf(root), loud, 'worker.log'), Buffer.alloc(0.9 * MB, 120));
    expect((await runCli(root, 'start', 'quick', '--wait')).code).toBe(0);
    appendFileSync(join(workersDirOf(root), loud, 'worker.log'), Buffer.alloc(0.2 * MB, 120));
    expect((await runCli(root, 'start', 'quick')).stderr).toContain('Nothing is started: fuse blown');
  });

  it('is whole by itself once there is less, and gc helps', async () => {
    const root = await blownProject();
    expect((await runCli(root, 'start', 'quick')).code).toBe(1);
    // A day later the worker has left the registry; here its folder alone is taken out of it.
    const [loud = ''] = workerFolders(root, 'loud');
    const registry = join(workersDirOf(root), 'registry.json');
    writeFileSync(
      registry,
      readFileSync(registry, 'utf8').replace(/"completed_at": "[^"]+"/, '"completed_at": "2020-01-01T00:00:00Z"'),
    );
    execFileSync('find', [join(workersDirOf(root), loud), '-exec', 'touch', '-d', '2020-01-01', '{}', '+']);
    await runCli(root, 'status');
    const moved = await runCli(root, 'gc', '--apply');
    expect(moved.stdout).toContain(loud);
    expect((await runCli(root, 'start', 'quick', '--wait')).code).toBe(0);
    expect((await fuseEvents(root)).at(-1)).toBe('FuseReset project total logs: 1 MB');
  });

  it('that cannot be noted is named with its file by a reset, which does not say that nothing is wrong', async () => {
    const root = await blownProject();
    rmSync(join(workersDirOf(root), 'fuses.json'), { force: true });
    mkdirSync(join(workersDirOf(root), 'fuses.json'));
    expect((await runCli(root, 'start', 'quick')).stderr).toContain('Nothing is started: fuse blown');
    const reset = await runCli(root, 'fuse', 'reset', 'logs');
    expect(reset).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Cannot note the fuse of all logs in .*fuses\.json/),
    });
  });

  it('is found by a window that leads, and nothing that runs is ended for it', async () => {
    const root = await workersProject({ types, limits });
    mkdirSync(workersDirOf(root), { recursive: true });
    const host = await openTestHost(root);
    await host.lead();
    await host.watch();
    const waiting = await started(host, 'wait');
    const old = join(workersDirOf(root), 'wkr-20200101-000000-old');
    mkdirSync(old);
    writeFileSync(join(old, 'worker.log'), Buffer.alloc(2 * MB, 120));
    const blown = await untilSnapshot(host, ({ fuses }) => fuses.length > 0);
    expect(blown.fuses).toMatchObject([{ name: 'logs', limitMB: 1 }]);
    expect(blown.fuses[0]?.biggest[0]).toEqual({ of: 'wkr-20200101-000000-old', bytes: 2 * MB });
    expect(blown.workers.find(({ workerId }) => workerId === waiting)?.state).toBe('running');
    expect(await host.start({ type: 'quick', requestedBy: 'vscode' })).toMatchObject({
      ok: false,
      error: { code: 'fuse' },
    });
    rmSync(old, { recursive: true });
    await untilSnapshot(host, ({ fuses }) => fuses.length === 0);
    letGo(root);
    const end = await host.waitForEnd(waiting, AbortSignal.timeout(20_000));
    expect(end.state).toBe('completed');
  }, 90_000);
});

describe('the fuse for all logs together, and session agents', () => {
  async function leading({ root, env }: Awaited<ReturnType<typeof sessionProject>>): Promise<HostApi> {
    const host = await openTestHost(root, { env });
    await host.watch();
    await host.lead();
    return host;
  }

  const isUp = ({ agents }: SessionSnapshot, name: string): boolean =>
    agents.some((agent) => agent.name === name && agent.connected);

  it('starts none, in the words of a worker, keeps those that run, and lets mail start its agent behind the reset', async () => {
    const command = rawAgentCommand();
    const project = await sessionProject({ runs: { command }, waits: { command } });
    const { root } = project;
    const config = join(root, '.vscode', 'workers.json');
    writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), types, limits }));
    const first = await leading(project);
    good(await first.session.startAgent({ ...by, agent: 'runs' }));
    await untilSession(first, (session) => isUp(session, 'runs'));
    await first.shutdown();
    const old = join(workersDirOf(root), 'wkr-20200101-000000-old');
    mkdirSync(old);
    writeFileSync(join(old, 'worker.log'), Buffer.alloc(2 * MB, 120));

    const blown = await leading(project);
    const refused = await blown.start({ type: 'quick', requestedBy: 'vscode' });
    const words = expect.stringMatching(/^Nothing is started: fuse blown, total logs: 1 MB/);
    expect(refused).toMatchObject({ ok: false, error: { code: 'fuse', message: words } });
    expect(await blown.session.startAgent({ ...by, agent: 'waits' })).toEqual(refused);
    expect(await blown.session.listen({ ...by, agent: 'other' })).toEqual(refused);
    expect(await blown.session.start({ ...by })).toEqual(refused);
    good(await blown.session.send({ ...by, to: 'waits', type: 'WorkAssign', payload: { taskId: 't1', do: [] } }));
    await untilSession(blown, ({ agents }) => agents.some(({ name, waiting }) => name === 'waits' && waiting > 0));
    expect(agentIn(blown.getSnapshot(), 'runs')).toMatchObject({ state: 'running', connected: true });
    expect(await blown.resetFuse('logs')).toMatchObject({ ok: true });
    await blown.shutdown();
    expect(logOf(root).filter(({ type, data }) => type === 'AgentStarting' && data['agent'] === 'waits')).toEqual([]);

    const last = await leading(project);
    await untilSession(last, (session) => isUp(session, 'waits'));
    expect(agentIn(last.getSnapshot(), 'runs').state).toBe('running');
  });
});

describe('the fuse for the free disk', () => {
  asRoot('is a row that no word resets, and goes once there is room', async () => {
    const root = await workersProject({ types });
    mkdirSync(workersDirOf(root), { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'tmpfs', workersDirOf(root)]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', workersDirOf(root)]);
    });
    const ballast = join(workersDirOf(root), 'ballast');
    writeFileSync(ballast, Buffer.alloc(30 * MB));
    expect(JSON.parse((await runCli(root, 'inbox', '--json')).stdout)).toMatchObject({
      inbox: [
        { id: 'fuse:disk', kind: 'fuse', text: expect.stringMatching(/^free disk: 64 MB \((49|50) MB are free\)$/) },
      ],
    });
    const reset = await runCli(root, 'fuse', 'reset', 'disk');
    expect(reset).toMatchObject({ code: 1, stderr: expect.stringContaining('Free some space') });
    rmSync(ballast);
    expect(JSON.parse((await runCli(root, 'inbox', '--json')).stdout)).toMatchObject({ inbox: [] });
    expect((await runCli(root, 'start', 'quick', '--wait')).code).toBe(0);
  });

  asRoot('keeps nobody from stopping the worker that fills it', async () => {
    const root = await workersProject({ types });
    mkdirSync(workersDirOf(root), { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'tmpfs', workersDirOf(root)]);
    onTestFinished(async () => {
      await endKeepersOf(root);
      execFileSync('umount', ['-l', workersDirOf(root)]);
    });
    await runCli(root, 'start', 'wait');
    const [workerId = ''] = workerFolders(root);
    const ballast = join(workersDirOf(root), 'ballast');
    expect(() => {
      writeFileSync(ballast, Buffer.alloc(100 * MB));
    }).toThrow('ENOSPC');
    const stop = await runCli(root, 'stop', workerId);
    expect(stop).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('by its flag alone, because the disk is full'),
    });
    rmSync(ballast);
    const host = await openTestHost(root);
    expect(await host.waitForEnd(workerId, AbortSignal.timeout(30_000))).toMatchObject({ state: 'stopped' });
  });
});
