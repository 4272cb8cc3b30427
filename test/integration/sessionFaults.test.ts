import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Disposable } from '../../src/core/base/disposable';
import type { HostApi } from '../../src/core/host/api';
import type { EventLine } from '../../src/core/protocol/events/eventLine';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import { identityOf, livenessOf } from '../../src/core/system/processIdentity';
import { eventually } from '../support/keeperRig';
import { startCli } from '../support/runCli';
import {
  agentIn,
  good,
  heardBy,
  logOf,
  rawAgentCommand,
  sessionProject,
  untilSession,
} from '../support/sessionProject';
import { ShiftedClock } from '../support/shiftedClock';
import { openTestHost } from '../support/testHost';

const by = { requestedBy: 'cli' } as const;
const worker = { command: rawAgentCommand(), restart: { backoffSeconds: [0.1] }, graceSeconds: 2 };

async function leading(project: { readonly root: string; readonly env: NodeJS.ProcessEnv }): Promise<HostApi> {
  const host = await openTestHost(project.root, { env: project.env });
  await host.watch();
  await host.lead();
  return host;
}

async function assign(host: HostApi, to: string, ...steps: readonly string[]): Promise<void> {
  good(await host.session.send({ ...by, to, type: 'WorkAssign', payload: { taskId: 't1', do: steps } }));
}

function typesOf(root: string, agent: string): readonly string[] {
  return logOf(root)
    .filter(({ data }) => data['agent'] === agent)
    .map(({ type }) => type);
}

function keeperOf(root: string, agent: string): ReturnType<typeof readKeeperRecord> {
  return readKeeperRecord(readFileSync(join(root, '.claude', 'session', 'keepers', agent, 'keeper.json'), 'utf8'));
}

/** The indexes that an agent heard from another one, in the order in which it heard them. */
function indexesFrom(root: string, agent: string, from: string): readonly unknown[] {
  return heardBy(root, agent)
    .filter(({ value }) => value.type === 'PlanUpdate' && value.from === from)
    .map(({ value }) => value.payload['index']);
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_none, index) => index + 1);
}

describe('a session keeps its promises where its processes die', () => {
  it('loses and doubles no message when leader and keepers are killed again and again in the middle of traffic', async () => {
    const project = await sessionProject({ a: worker, b: worker, c: worker });
    const { root, env } = project;
    const count = 1_500;
    const lead = (): ReturnType<typeof startCli> => startCli(root, ['session', 'start'], { env });
    let leader = lead();
    await leader.printed('The session');
    const asked = await openTestHost(root, { env });
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
    ] as const) {
      await assign(asked, from, `send:${to}:${String(count)}`, 'complete');
    }
    for (const share of [0.1, 0.3, 0.6]) {
      await eventually(async () => {
        expect(indexesFrom(root, 'b', 'a').length).toBeGreaterThan(count * share);
        return Promise.resolve();
      });
      process.kill(keeperOf(root, 'b')?.keeper.pid ?? 0, 'SIGKILL');
      leader.child.kill('SIGKILL');
      process.kill(keeperOf(root, 'c')?.keeper.pid ?? 0, 'SIGKILL');
      await leader.ended;
      leader = lead();
      await leader.printed('The session goes on');
    }
    await eventually(async () => {
      for (const [from, to] of ['ab', 'bc', 'ca']) {
        expect(indexesFrom(root, to ?? '', from ?? '')).toEqual(upTo(count));
      }
      return Promise.resolve();
    });
    await eventually(async () => {
      expectOnceEach(logOf(root), 3 * count);
      return Promise.resolve();
    });
  });

  it('takes what an agent said and how it left while nobody led', async () => {
    const project = await sessionProject({ a: worker });
    const { root, env } = project;
    const leader = startCli(root, ['session', 'start'], { env });
    await leader.printed('The session has started');
    const asked = await openTestHost(root, { env });
    await assign(asked, 'a', 'ask');
    await eventually(async () => {
      expect(heardBy(root, 'a')).toHaveLength(1);
      return Promise.resolve();
    });
    leader.child.kill('SIGKILL');
    await leader.ended;
    // Its keeper hears the shutdown's answer and its end; nobody else does.
    process.kill(keeperOf(root, 'a')?.process?.pid ?? 0, 'SIGKILL');
    await eventually(async () => {
      expect(keeperOf(root, 'a')?.attempts.at(-1)?.exit?.signal).toBe('SIGKILL');
      return Promise.resolve();
    });
    const next = await leading(project);
    const { inbox } = await untilSession(next, (session) => session.inbox.length > 0);
    expect(inbox[0]).toMatchObject({ kind: 'question', agent: 'a' });
    await untilSession(next, ({ agents }) => agents[0]?.state === 'running' && agents[0].restarts === 1);
    expect(typesOf(root, 'a')).toContain('AgentCrashed');
  });

  it('goes on with an agent whose keeper was killed, and delivers what was sent meanwhile', async () => {
    const project = await sessionProject({ a: { ...worker, start: 'session' } });
    const { root } = project;
    const host = await leading(project);
    good(await host.session.start(by));
    await untilSession(host, ({ agents }) => agents[0]?.connected === true);
    const before = keeperOf(root, 'a');
    process.kill(before?.keeper.pid ?? 0, 'SIGKILL');
    await assign(host, 'a', 'complete');
    await eventually(async () => {
      expect(heardBy(root, 'a')).toHaveLength(1);
      return Promise.resolve();
    });
    const after = keeperOf(root, 'a');
    expect(after?.process).toEqual(before?.process);
    expect(after?.keeper).not.toEqual(before?.keeper);
  });
});

/** Goes so fast that nobody has to wait for what is only looked at twice a minute. */
class QuickClock extends ShiftedClock {
  override schedule(delayMs: number, run: () => void): Disposable {
    return super.schedule(delayMs === 30_000 ? 300 : delayMs, run);
  }
}

/** Every message is in the log once, and so is its arrival, but for what a keeper's death had repeated and is marked so. */
function expectOnceEach(log: readonly EventLine[], count: number): void {
  const isUpdate = (line: EventLine): boolean =>
    (line.data['message'] as { type?: unknown } | undefined)?.type === 'PlanUpdate';
  const sent = log.filter((line) => line.type === 'MessageSent' && isUpdate(line));
  expect(sent).toHaveLength(count);
  const seqs = new Set(sent.map(({ seq }) => seq));
  const delivered = log.filter(({ type, data }) => type === 'MessageDelivered' && seqs.has(Number(data['seq'])));
  expect(new Set(delivered.map(({ data }) => data['seq']))).toEqual(seqs);
  const first = delivered.filter(({ data }) => data['redelivered'] !== true).map(({ data }) => data['seq']);
  expect(new Set(first).size).toBe(first.length);
}

it.runIf(process.getuid?.() === 0)(
  'loses no message on a full disk, says what to do, and goes on by itself',
  async () => {
    const project = await sessionProject({ a: { ...worker, start: 'session' }, b: { ...worker, start: 'session' } });
    const { root } = project;
    const folder = join(root, '.claude', 'session');
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder]);
    try {
      const host = await leading(project);
      good(await host.session.start(by));
      await untilSession(host, ({ agents }) => agents.every(({ connected }) => connected));
      expect((await host.look()).session?.problems).toEqual([]);
      await assign(host, 'a', 'send:b:3000', 'complete');
      await eventually(async () => {
        expect(indexesFrom(root, 'b', 'a').length).toBeGreaterThan(100);
        return Promise.resolve();
      });
      execFileSync('sh', ['-c', `cat /dev/zero > '${folder}/ballast' 2>/dev/null || true`]);
      const { problems } = await untilSession(host, (session) => session.problems.length > 0);
      expect(problems[0]).toMatch(/is full\. .* none is lost\. Free some space/);
      const refused = await host.session.send({ ...by, to: 'b', type: 'Query', payload: { question: 'there?' } });
      expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining('Free some space') } });
      rmSync(join(folder, 'ballast'));
      await eventually(async () => {
        expect(indexesFrom(root, 'b', 'a')).toEqual(upTo(3_000));
        return Promise.resolve();
      });
      await untilSession(host, (session) => session.problems.length === 0);
      good(await host.session.stop({ ...by, force: false }));
      await untilSession(host, ({ agents }) => agents.every(({ state }) => state === 'stopped'));
    } finally {
      execFileSync('umount', ['-l', folder]);
    }
  },
);

describe('supervision', () => {
  it('starts an agent again that crashed in the middle of a task, and holds up nobody while it waits', async () => {
    const project = await sessionProject({ a: { ...worker, restart: { backoffSeconds: [600] } }, b: worker });
    const { root } = project;
    const host = await leading(project);
    await assign(host, 'a', 'crash:7');
    await untilSession(host, ({ agents }) => agents[0]?.state === 'backoff');
    await assign(host, 'b', 'complete');
    await eventually(async () => {
      expect(heardBy(root, 'b')).toHaveLength(1);
      return Promise.resolve();
    });
    const crash = logOf(root).find(({ type }) => type === 'AgentCrashed');
    expect(crash?.data).toMatchObject({ agent: 'a', exitCode: 7, lastLine: 'a begins' });
    good(await host.session.skipWait({ ...by, agent: 'a' }));
    await untilSession(host, ({ agents }) => agents[0]?.connected === true);
    await eventually(async () => {
      expect(logOf(root).filter(({ type }) => type === 'MessageAcked')).toHaveLength(2);
      return Promise.resolve();
    });
    // The task was begun by the run that crashed, and is not begun twice.
    expect(heardBy(root, 'a')).toHaveLength(1);
  });

  it('gives up an agent that ends at once whenever it is started', async () => {
    const project = await sessionProject({
      a: { ...worker, command: rawAgentCommand('private', 'exit:3'), restart: { max: 2, backoffSeconds: [0.1] } },
    });
    const { root } = project;
    const host = await leading(project);
    await assign(host, 'a', 'complete');
    const { inbox, agents } = await untilSession(host, (session) => session.inbox.length > 0);
    expect(agents[0]).toMatchObject({ state: 'failed', restarts: 2, maxRestarts: 2 });
    expect(inbox[0]?.kind).toBe('gave-up');
    expect(inbox[0]?.text).toContain('3 times in the same way: exit 3, last line "a begins"');
    expect(heardBy(root, 'a', 'start')).toHaveLength(3);
    good(await host.session.dismiss({ ...by, item: inbox[0]?.id ?? '' }));
    expect((await host.look()).session?.inbox).toEqual([]);
  });

  it('shows a wait as a countdown that can be skipped or cancelled', async () => {
    const slow = { ...worker, restart: { backoffSeconds: [600] } };
    const project = await sessionProject({ a: { ...slow, start: 'session' } });
    const host = await leading(project);
    good(await host.session.start(by));
    const crash = async (): Promise<void> => {
      await untilSession(host, ({ agents }) => agents[0]?.connected === true);
      process.kill(agentIn(await host.look(), 'a').pid ?? 0, 'SIGKILL');
      const { agents } = await untilSession(host, (session) => session.agents[0]?.state === 'backoff');
      expect(agents[0]?.nextRestartAt).toBeGreaterThan(Date.now() + 500_000);
    };
    await crash();
    good(await host.session.skipWait({ ...by, agent: 'a' }));
    await crash();
    good(await host.session.stopAgent({ ...by, agent: 'a', force: false }));
    expect(agentIn(await host.look(), 'a').state).toBe('stopped');
    expect(typesOf(project.root, 'a')).toContain('AgentRestartCancelled');
  });

  it('spends no restart on an agent that leaves with 0, and starts it for each task', async () => {
    const project = await sessionProject({ a: worker });
    const { root } = project;
    const host = await leading(project);
    for (const round of upTo(5)) {
      await assign(host, 'a', 'complete', 'exit:0');
      await eventually(async () => {
        expect(typesOf(root, 'a').filter((type) => type === 'AgentExited')).toHaveLength(round);
        return Promise.resolve();
      });
    }
    expect(agentIn(await host.look(), 'a')).toMatchObject({ state: 'completed', restarts: 0, waiting: 0 });
    expect(logOf(root).filter(({ type }) => type === 'AgentCrashed')).toEqual([]);
  });

  it('counts an agent that leaves with 0 and never connected as failed, and does not start it again', async () => {
    const project = await sessionProject({ a: { ...worker, command: rawAgentCommand('private', 'exit:0') } });
    const host = await leading(project);
    await assign(host, 'a', 'complete');
    const { agents } = await untilSession(host, (session) => session.agents[0]?.state === 'failed');
    expect(agents[0]?.attention?.text).toContain('never connected');
    expect(heardBy(project.root, 'a', 'start')).toHaveLength(1);
  });

  it('stops everybody with the children that they left, and nothing starts them again', async () => {
    const project = await sessionProject({ a: { ...worker, start: 'session' }, b: { ...worker, start: 'session' } });
    const host = await leading(project);
    good(await host.session.start(by));
    await untilSession(host, ({ agents }) => agents.every(({ connected }) => connected));
    await assign(host, 'a', 'child', 'complete');
    await eventually(async () => {
      expect(heardBy(project.root, 'a', 'child')).toHaveLength(1);
      return Promise.resolve();
    });
    const child = await identityOf(Number(heardBy(project.root, 'a', 'child')[0]?.value));
    good(await host.session.stop({ ...by, force: false }));
    await untilSession(host, ({ agents }) => agents.every(({ state }) => state === 'stopped'));
    expect(child === null ? 'dead' : await livenessOf(child)).toBe('dead');
    const asked = logOf(project.root).filter(({ type }) => type === 'AgentStopRequested');
    expect(asked.map(({ data }) => data['agent'])).toHaveLength(2);
    good(await host.session.send({ ...by, to: 'a', type: 'Query', payload: { question: 'there?' } }));
    const session = (await host.look()).session;
    expect(session).toMatchObject({ running: false });
    expect(session?.agents.map(({ state, waiting }) => [state, waiting])).toEqual([
      ['stopped', 1],
      ['stopped', 0],
    ]);
  });
});

describe('a session knows its agents by their process and not by their command line', () => {
  it('leaves alone whoever runs the same program in the same folder', async () => {
    const idle = [process.execPath, '-e', 'setInterval(() => {}, 1_000)'];
    const project = await sessionProject({ a: { ...worker, command: idle, start: 'session' } });
    const { root } = project;
    const sibling = spawn(process.execPath, idle.slice(1), { cwd: root, stdio: 'ignore' });
    onTestFinished(() => {
      sibling.kill('SIGKILL');
    });
    const host = await leading(project);
    good(await host.session.start(by));
    await untilSession(host, ({ agents }) => agents[0]?.pid !== null);
    const own = await identityOf(agentIn(await host.look(), 'a').pid ?? -1);
    expect(own).not.toBeNull();
    good(await host.session.stop({ ...by, force: true }));
    await untilSession(host, ({ agents }) => agents[0]?.state === 'stopped');
    expect(own === null ? 'dead' : await livenessOf(own)).toBe('dead');
    expect(sibling.exitCode ?? sibling.signalCode).toBeNull();
  });
});

describe('mail', () => {
  it('reaches others while one recipient reads nothing at all', async () => {
    const project = await sessionProject({ a: worker, deaf: worker, c: worker });
    const { root } = project;
    const host = await leading(project);
    await assign(host, 'deaf', 'deaf');
    await assign(host, 'a', 'send:deaf:3000', 'send:c:200', 'complete');
    await eventually(async () => {
      expect(logOf(root).filter(({ type }) => type === 'MessageSent').length).toBeGreaterThan(3_200);
      return Promise.resolve();
    });
    good(await host.session.startAgent({ ...by, agent: 'c' }));
    await eventually(async () => {
      expect(indexesFrom(root, 'c', 'a')).toEqual(upTo(200));
      return Promise.resolve();
    });
  });

  it('reaches agents that run while the file that names them is being edited', async () => {
    const project = await sessionProject({ a: worker, b: worker });
    const { root } = project;
    const host = await leading(project);
    await assign(host, 'b', 'complete');
    await assign(host, 'a', 'complete');
    await untilSession(host, ({ agents }) => agents.every(({ connected }) => connected));
    writeFileSync(join(root, '.vscode', 'workers.json'), '{"version": 1, "agents": {"a": {"comm');
    await assign(host, 'a', 'send:b:2', 'complete');
    await eventually(async () => {
      expect(indexesFrom(root, 'b', 'a')).toEqual([1, 2]);
      return Promise.resolve();
    });
  });

  it('tells a sender that nobody is called so, and who is there', async () => {
    const project = await sessionProject({ a: worker, developer: worker });
    const { root } = project;
    const host = await leading(project);
    await assign(host, 'a', 'send:develper:1', 'complete');
    await eventually(async () => {
      const answer = heardBy(root, 'a').find(({ value }) => value.type === 'System');
      expect(answer?.value).toMatchObject({ from: 'watchdog', payload: { systemEvent: 'error' } });
      expect(answer?.value.payload['message']).toContain('Did you mean developer?');
      return Promise.resolve();
    });
  });

  it('goes to an existing agent on its own pipe, which leaves with 0 when it is told to', async () => {
    const project = await sessionProject({ old: { ...worker, command: rawAgentCommand('compatible') } }, {});
    const host = await leading(project);
    await assign(host, 'old', 'ask');
    const { inbox } = await untilSession(host, (session) => session.inbox.length > 0);
    expect(inbox[0]?.agent).toBe('old');
    good(await host.session.stopAgent({ ...by, agent: 'old', force: false }));
    await untilSession(host, ({ agents }) => agents[0]?.state === 'stopped');
    expect(agentIn(await host.look(), 'old').exit?.code).toBe(0);
  });

  it('expires where its recipient does not come, and the person is told', async () => {
    const project = await sessionProject({ a: worker });
    const clock = new QuickClock();
    const host = await openTestHost(project.root, { env: project.env, clock });
    await host.watch();
    await host.lead();
    good(await host.session.send({ ...by, to: 'a', type: 'Query', payload: { question: 'there?' } }));
    expect(agentIn(await host.look(), 'a').waiting).toBe(1);
    clock.goAhead(61 * 60_000);
    const { inbox, agents } = await untilSession(host, (session) => session.inbox.length > 0);
    expect(inbox[0]).toMatchObject({ kind: 'expired', agent: 'a' });
    expect(agents[0]?.waiting).toBe(0);
    expect(typesOf(project.root, 'a')).toContain('MessageExpired');
  });

  it('is refused, and no folder is made, where the workspace is not trusted', async () => {
    const { root } = await sessionProject({ a: worker });
    const host = await openTestHost(root, { trusted: false });
    const sent = await host.session.send({ ...by, to: 'a', type: 'WorkAssign', payload: {} });
    expect(sent).toMatchObject({ ok: false, error: { code: 'untrusted' } });
    expect((await host.session.start(by)).ok).toBe(false);
    expect(logOf(root)).toEqual([]);
  });
});
