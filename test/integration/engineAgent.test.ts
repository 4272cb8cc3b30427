import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import { isKeeperClaim } from '../../src/core/protocol/keeper/keeperClaim';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import { isRecord } from '../../src/core/protocol/events/jsonGuards';
import { usedOn } from '../../src/core/protocol/engines/usageMarks';
import { ProcessTree } from '../../src/core/system/processTree';
import { treeMarker } from '../../src/keeper/treeMarker';
import { dummyKey, engineProject } from '../support/engines/engineProject';
import type { RealEngineName } from '../support/engines/installEngines';
import { realEngines } from '../support/engines/realEngines';
import type { ModelScript } from '../support/modelServer/modelAnswer';
import { startModelServer, type ModelServer } from '../support/modelServer/modelServer';
import { eventually } from '../support/keeperRig';
import { everythingIn } from '../support/sandbox';
import { agentIn, good, logOf, untilSession } from '../support/sessionProject';
import { ShiftedClock } from '../support/shiftedClock';
import { openTestHost } from '../support/testHost';

const by = { requestedBy: 'cli' } as const;
const OPENING = 'You paint fences.';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await server.close();
});

interface Crew {
  readonly root: string;
  readonly host: HostApi;
  /** The next process that leads. */
  readonly reopened: () => Promise<HostApi>;
  /** What the model was asked, as texts. */
  readonly asked: () => readonly string[];
}

interface CrewOptions {
  readonly clock?: ShiftedClock;
  readonly name?: RealEngineName;
  readonly script: ModelScript;
  readonly agents?: Readonly<Record<string, object>>;
  readonly session?: object;
  /** Makes the project a repository, or whatever it needs before it is opened. */
  readonly prepare?: (root: string) => void;
}

/** A started session whose agents are done by a real program, which asks a scripted model. */
async function crew({ name = 'claude', script, agents, session, prepare, clock }: CrewOptions): Promise<Crew> {
  const of = await engineProject({ name, bin: realEngines ?? '', server, script });
  const file = join(of.root, '.vscode', 'workers.json');
  const developer = { engine: name, prompt: OPENING, restart: { backoffSeconds: [0.1] } };
  const config = {
    ...(JSON.parse(readFileSync(file, 'utf8')) as object),
    agents: agents ?? { developer },
    session: { compatiblePipeNames: false, ...session },
  };
  writeFileSync(file, JSON.stringify(config));
  prepare?.(of.root);
  const reopened = async (): Promise<HostApi> => {
    const options = { env: of.env, engines: () => of.engines, ...(clock === undefined ? {} : { clock }) };
    const opened = await openTestHost(of.root, options);
    await opened.watch();
    await opened.lead();
    return opened;
  };
  const host = await reopened();
  good(await host.session.start(by));
  const asked = (): readonly string[] =>
    server.requests
      .filter(({ scenario, nth }) => scenario === of.scenario && nth > 0)
      .map(({ body }) => JSON.stringify(body));
  return { root: of.root, host, asked, reopened };
}

async function assign(host: HostApi, taskId: string, title: string): Promise<void> {
  good(await host.session.send({ ...by, to: 'developer', type: 'WorkAssign', payload: { taskId, title } }));
}

interface Sent {
  readonly to: unknown;
  readonly type: unknown;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What an agent sent, as the log has it, without its states. */
function sentBy(root: string, agent: string): readonly Sent[] {
  return logOf(root).flatMap(({ type, data }) => {
    const message = type === 'MessageSent' && isRecord(data['message']) ? data['message'] : {};
    const { from, to, type: word, payload } = message;
    return from === agent && word !== 'AgentStatus' && isRecord(payload) ? [{ to, type: word, payload }] : [];
  });
}

/** Waits until so many messages of this type are from the agent. */
async function untilSent(host: HostApi, type: string, count = 1): Promise<void> {
  await untilSession(host, ({ agents }) => {
    const messages = agents.flatMap((agent) => agent.messages);
    return messages.filter(({ message }) => message.type === type && message.from === 'developer').length >= count;
  });
}

/** All processes that belong to the agent. */
async function processesOf(root: string, agent: string): Promise<readonly number[]> {
  const folder = join(root, '.claude', 'session', 'keepers', agent);
  const record = readKeeperRecord(readFileSync(join(folder, 'keeper.json'), 'utf8'));
  if (record === null || isKeeperClaim(record) || record.process === null) {
    throw new Error('the keeper tells of no process');
  }
  const members = await new ProcessTree(record.process, treeMarker(agent, folder)).collect();
  return members.map(({ pid }) => pid);
}

/** Everything below a folder that holds a text. */
function holding(folder: string, text: string): readonly string[] {
  return everythingIn(folder).filter((path) => {
    try {
      return readFileSync(join(folder, path), 'utf8').includes(text);
    } catch {
      // A folder, or gone.
      return false;
    }
  });
}

/** Waits in its first answer until the test lets it go on; later ones are whole. */
function stuckOnce(answer: string): ModelScript {
  let requests = 0;
  return () => {
    requests += 1;
    return { steps: requests === 1 ? [{ say: 'I begin. ' }, { hang: true }] : [{ say: answer }] };
  };
}

const painting: ModelScript = ({ turn }) => ({
  steps: turn === 0 ? [{ call: 'write', input: { path: 'fence.txt', content: 'white' } }] : [{ say: 'All painted.' }],
});

describe.skipIf(realEngines === null)('a session agent on a real engine', () => {
  it.each<RealEngineName>(['claude', 'codex', 'opencode'])(
    'of %s does one task after the other in one session',
    async (name) => {
      const { root, host, asked } = await crew({ name, script: painting });
      await assign(host, 't1', 'Paint the fence');
      await untilSent(host, 'WorkComplete');
      expect(readFileSync(join(root, 'fence.txt'), 'utf8').trim()).toBe('white');
      await assign(host, 't2', 'Paint the gate');
      await untilSent(host, 'WorkComplete', 2);
      const complete = (taskId: string) => ({
        to: 'pm',
        type: 'WorkComplete',
        payload: { taskId, result: 'success', notes: 'All painted.' },
      });
      expect(sentBy(root, 'developer')).toEqual([complete('t1'), complete('t2')]);
      const last = asked().at(-1) ?? '';
      expect(last).toContain('Paint the fence');
      expect(last).toContain('Paint the gate');
      expect(last.split(OPENING)).toHaveLength(2);
      const { logFile } = agentIn(await host.look(), 'developer');
      // The keeper looks at a quiet output every few seconds.
      await eventually(async () => {
        const log = readFileSync(logFile, 'utf8');
        expect(log).toContain('[message] WorkAssign from');
        expect(log).toContain('All painted.');
        return Promise.resolve();
      });
      expect(holding(join(root, '.claude'), dummyKey)).toEqual([]);
    },
  );

  it('answers a question, sends what its answer holds besides, and nothing that it may not', async () => {
    const lines = [
      'White.',
      '{"to":"pm","type":"ProblemReport","payload":{"description":"The paint is dry."}}',
      '{"to":"pm","type":"System","payload":{"systemEvent":"shutdown"}}',
    ];
    const { root, host } = await crew({
      script: () => ({ steps: [{ say: lines.join('\n') }] }),
      agents: { developer: { engine: 'auto', prompt: OPENING, start: 'session' } },
    });
    good(await host.session.send({ ...by, to: 'developer', type: 'Query', payload: { question: 'Which colour?' } }));
    await untilSent(host, 'Response');
    expect(sentBy(root, 'developer')).toMatchObject([
      { to: 'watchdog', type: 'System', payload: { systemEvent: 'error' } },
      { to: 'pm', type: 'ProblemReport', payload: { description: 'The paint is dry.' } },
      { to: 'person', type: 'Response', payload: { answer: 'White.' } },
    ]);
  });

  it('with a bad key is blocked and says how to log in', async () => {
    const body = '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}';
    const { host } = await crew({ script: () => ({ status: 401, headers: {}, body }) });
    await assign(host, 't1', 'Paint the fence');
    const { inbox } = await untilSession(host, (session) => session.inbox.length > 0);
    expect(inbox).toMatchObject([{ kind: 'blocked', agent: 'developer' }]);
    expect(inbox[0]?.text).toContain('Log in with `claude auth login`');
  });

  it('waits for the end of a rate limit, says until when, and goes on by itself, whoever leads then', async () => {
    let requests = 0;
    const limit = { status: 429, headers: { 'content-type': 'application/json', 'retry-after': '3600' } };
    const body = JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'Rate limit exceeded' } });
    const clock = new ShiftedClock();
    const { host, asked, reopened } = await crew({
      clock,
      script: () => {
        requests += 1;
        return requests === 1 ? { ...limit, body } : { steps: [{ say: 'All painted.' }] };
      },
    });
    await assign(host, 't1', 'Paint the fence');
    const parked = await untilSession(host, ({ agents }) => agents[0]?.state === 'parked');
    expect(parked.inbox).toEqual([]);
    const [agent] = parked.agents;
    expect(agent).toMatchObject({
      restarts: 0,
      exit: { class: 'rate limited', remedy: 'wait' },
      engine: { tool: null },
    });
    expect(agent?.nextRestartAt).toBeGreaterThan(clock.now());
    await host.shutdown();
    clock.goAhead((agent?.nextRestartAt ?? 0) - clock.now());
    const next = await reopened();
    await untilSent(next, 'WorkComplete');
    expect(asked().at(-1)).toContain('You had begun with it and were cut off');
    const done = agentIn(await next.look(), 'developer');
    expect(done.restarts).toBe(0);
    expect(done.engine?.usage.outputTokens).toBeGreaterThan(0);
    expect(done.engine?.usage.costUsd).toBeGreaterThan(0);
    // What is shown as used today is a part of it.
    expect(usedOn(done.usageMarks, () => true)).toEqual(done.engine?.usage);
  });

  it('that waits for the end of a rate limit is started at once by a person, or stopped', async () => {
    const { host, asked } = await crew({
      script: () => ({
        status: 429,
        headers: {},
        body: '{"type":"error","error":{"type":"rate_limit_error","message":"Limit"}}',
      }),
    });
    await assign(host, 't1', 'Paint the fence');
    await untilSession(host, ({ agents }) => agents[0]?.state === 'parked');
    const before = asked().length;
    good(await host.session.skipWait({ ...by, agent: 'developer' }));
    await server.seen(() => asked().length > before);
    await untilSession(host, ({ agents }) => agents[0]?.state === 'parked');
    good(await host.session.stopAgent({ ...by, agent: 'developer', force: false }));
    await untilSession(host, ({ agents }) => agents[0]?.state === 'stopped');
  });

  it('that is killed in the middle of a turn begins it again, and answers once', async () => {
    const { root, host, asked } = await crew({ script: stuckOnce('All painted.') });
    await assign(host, 't1', 'Paint the fence');
    await server.seen(() => asked().length === 1);
    const before = await processesOf(root, 'developer');
    expect(before.length).toBeGreaterThan(1);
    process.kill(agentIn(await host.look(), 'developer').pid ?? 0, 'SIGKILL');
    await untilSent(host, 'WorkComplete');
    expect(sentBy(root, 'developer').map(({ type }) => type)).toEqual(['WorkComplete']);
    expect(asked()).toHaveLength(2);
    expect(asked()[1]).toContain('You had begun with it and were cut off');
    const now = await processesOf(root, 'developer');
    expect(now.filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('that is stopped in the middle of a turn leaves nothing behind, and begins it again when it is started', async () => {
    const { root, host, asked } = await crew({ script: stuckOnce('All painted.') });
    await assign(host, 't1', 'Paint the fence');
    await server.seen(() => asked().length === 1);
    expect((await processesOf(root, 'developer')).length).toBeGreaterThan(1);
    good(await host.session.stop({ ...by, force: false }));
    await untilSession(host, ({ agents }) => agents[0]?.state === 'stopped');
    expect(await processesOf(root, 'developer')).toEqual([]);
    // It left by itself: no signal was needed.
    expect(agentIn(await host.look(), 'developer').exit).toMatchObject({ code: 1, signal: null });
    expect(sentBy(root, 'developer')).toEqual([]);
    good(await host.session.start(by));
    good(await host.session.startAgent({ ...by, agent: 'developer' }));
    await untilSent(host, 'WorkComplete');
    expect(asked()[1]).toContain('You had begun with it and were cut off');
  });

  it('works in a worktree of its own', async () => {
    const git = (cwd: string, ...args: readonly string[]): void => {
      const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@localhost'];
      execFileSync('git', [...identity, ...args], { cwd, stdio: 'ignore' });
    };
    const { root, host } = await crew({
      script: painting,
      agents: { developer: { engine: 'claude', isolation: 'worktree' } },
      prepare: (folder) => {
        git(folder, 'init', '--quiet', '--initial-branch', 'main');
        git(folder, 'add', '--all');
        git(folder, 'commit', '--quiet', '-m', 'first');
      },
    });
    await assign(host, 't1', 'Paint the fence');
    await untilSent(host, 'WorkComplete');
    expect(readFileSync(join(root, '.keysarium/worktrees/developer/fence.txt'), 'utf8').trim()).toBe('white');
    expect(existsSync(join(root, 'fence.txt'))).toBe(false);
  });

  it('takes its turn in a sequential session, and hands over by what it says', async () => {
    const { host, asked } = await crew({
      script: () => {
        const body = JSON.stringify(server.requests.at(-1)?.body ?? {});
        const isFirst = body.includes('You are the agent pm');
        return { steps: [{ say: isFirst ? 'HANDOFF:qa:Look at the fence' : '<promise>RALPH_COMPLETE</promise>' }] };
      },
      agents: { pm: { engine: 'claude', prompt: OPENING, start: 'session' }, qa: { engine: 'claude' } },
      session: { mode: 'sequential' },
    });
    const { turn } = await untilSession(host, (session) => !session.running && session.turn !== null);
    expect(turn).toMatchObject({ agent: 'qa', status: 'completed' });
    expect(asked()).toHaveLength(2);
    expect(asked()[1]).toContain('Look at the fence');
  });

  it('is refused with what to do where its engine is not there', async () => {
    const { host } = await crew({ script: painting, agents: { developer: { engine: 'gemini', prompt: OPENING } } });
    const refused = await host.session.startAgent({ ...by, agent: 'developer' });
    expect(refused.ok ? '' : refused.error.message).toContain('gemini is not installed. Install it with');
  });
});
