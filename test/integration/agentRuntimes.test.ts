import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AgentLanguage, agentProject, languages, type RunningAgent, runAgent } from '../support/agentLanguages';
import { ScriptedEndpoint } from '../support/scriptedEndpoint';

const TOKEN = '5ecret';

/** One agent of a project, and the endpoint that it talks to. */
class Stage {
  readonly endpoint: ScriptedEndpoint;
  readonly #language: AgentLanguage;
  readonly #project: { root: string; script: string };
  readonly #env: NodeJS.ProcessEnv;

  constructor(language: AgentLanguage, agent: string, wire: 'private' | 'compatible' = 'private') {
    this.#language = language;
    this.#project = agentProject(language, agent);
    const { root } = this.#project;
    const path = join(root, wire === 'private' ? 'endpoint' : `CoreFxPipe_ralph-${agent}-main`);
    this.endpoint = new ScriptedEndpoint(path, wire);
    onTestFinished(async () => this.endpoint.close());
    this.#env =
      wire === 'compatible'
        ? {}
        : {
            ROLLCALL_ENDPOINT: path,
            ROLLCALL_TOKEN: TOKEN,
            ROLLCALL_AGENT: agent,
            ROLLCALL_SESSION_DIR: join(root, '.claude', 'session'),
            ROLLCALL_CURSOR: join(root, 'cursor'),
          };
  }

  run(...args: readonly string[]): RunningAgent {
    return runAgent(this.#language, this.#project, { env: this.#env, args });
  }

  get cursor(): string {
    return readFileSync(join(this.#project.root, 'cursor'), 'latin1');
  }
}

async function connected(language: AgentLanguage, agent: string, wire?: 'private' | 'compatible') {
  const stage = new Stage(language, agent, wire);
  await stage.endpoint.open();
  const running = stage.run();
  await stage.endpoint.hearsType('AgentStatus');
  return { ...running, stage, endpoint: stage.endpoint };
}

const shutdown = { systemEvent: 'shutdown' };

describe.each(languages)('an agent in $name', (language) => {
  const test = it.skipIf(language.command === null);

  test('runs the complete worker example of the document: reports ready, works, answers and leaves with 42', async () => {
    const { endpoint, ended, stage } = await connected(language, 'developer');
    expect(endpoint.lines[0]?.said).toEqual({
      hello: 1,
      token: TOKEN,
      run: expect.stringMatching(/^[0-9a-f]{16}$/),
      cursor: 0,
    });
    expect(endpoint.lines[1]?.said).toMatchObject({
      n: 1,
      id: expect.stringMatching(/^msg-\d{8}-\d{6}-[0-9a-f]{16}$/),
      type: 'AgentStatus',
      from: 'developer',
      to: 'watchdog',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      payload: { status: 'ready' },
    });
    endpoint.mail(7, 'WorkAssign', { taskId: 'feat-001', workType: 'feature', acceptanceCriteria: [] });
    endpoint.mail(9, 'Query', { question: 'Where?', context: '' });
    await endpoint.hearsAck(9);
    endpoint.mail(10, 'System', shutdown);
    expect(await ended).toEqual({ code: 42, stdout: '', stderr: '' });
    const said = endpoint.lines.slice(2).map((line) => line.said);
    expect(said).toEqual([
      expect.objectContaining({
        n: 2,
        to: 'pm',
        type: 'WorkComplete',
        payload: { taskId: 'feat-001', result: 'success', notes: '' },
      }),
      { ack: 7 },
      expect.objectContaining({
        n: 3,
        to: 'pm',
        type: 'Response',
        inReplyTo: 'msg-20260125-150000-0000000000000009',
        payload: { answer: "Here's the answer..." },
      }),
      { ack: 9 },
      { ack: 10 },
    ]);
    expect(stage.cursor).toBe('10');
  });

  test('tells its status, what blocks it and what is wrong in the words of the protocol', async () => {
    const { endpoint } = await connected(language, 'player');
    endpoint.mail(1, 'WorkAssign', { do: 'report' });
    await endpoint.hearsAck(1);
    const said = endpoint.lines.slice(2, 5).map((line) => line.said);
    expect(said).toMatchObject([
      { type: 'AgentStatus', to: 'watchdog', payload: { status: 'working', currentTask: 'feat-001' } },
      { type: 'WorkBlocked', to: 'pm', payload: { taskId: 'feat-001', reason: 'no key' } },
      {
        type: 'ProblemReport',
        to: 'pm',
        payload: { taskId: 'feat-001', problemType: 'blocker', description: 'It is dark.', severity: 'high' },
      },
    ]);
  });

  test('has the number of a message on the disk before its handler runs, and gets it again when the handler kills it', async () => {
    const { endpoint, ended, stage } = await connected(language, 'player');
    endpoint.mail(5, 'WorkAssign', { do: 'die' });
    expect((await ended).code).toBeNull();
    expect(stage.cursor).toBe('5');
    expect(endpoint.lines.map(({ said }) => said)).not.toContainEqual({ ack: 5 });
    const again = stage.run();
    const hello = await endpoint.hears(({ connection }) => connection === 2);
    expect(hello.said).toMatchObject({ hello: 1, cursor: 5 });
    await endpoint.hears(({ connection, said }) => connection === 2 && said['type'] === 'AgentStatus');
    endpoint.mail(5, 'WorkAssign', { do: 'die' }, { redelivered: true });
    await endpoint.hearsAck(5);
    endpoint.mail(0, 'System', shutdown);
    expect((await again.ended).code).toBe(42);
    expect(stage.cursor).toBe('5');
  });

  test('crashes with its handler, and does not say that the message was handled', async () => {
    const { endpoint, ended } = await connected(language, 'player');
    endpoint.mail(5, 'WorkAssign', { do: 'fail' });
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain('This handler fails.');
    expect(endpoint.lines.map(({ said }) => said)).not.toContainEqual({ ack: 5 });
  });

  test.each(['ask', 'leave'])(
    'leaves with 0 when the handler ends it after it said so (%s), and is done with the message',
    async (order) => {
      const { endpoint, ended } = await connected(language, 'player');
      endpoint.mail(5, 'WorkAssign', { do: order });
      expect(await ended).toEqual({ code: 0, stdout: '', stderr: '' });
      await endpoint.hearsAck(5);
    },
  );

  test('leaves with 0 after its first finished task where it is run for one', async () => {
    const stage = new Stage(language, 'player');
    await stage.endpoint.open();
    const { ended } = stage.run('-Once');
    await stage.endpoint.hearsType('AgentStatus');
    stage.endpoint.mail(5, 'AgentStatus', { status: 'ready' });
    stage.endpoint.mail(6, 'WorkAssign', { do: 'work', taskId: 'feat-002' });
    expect((await ended).code).toBe(0);
    await stage.endpoint.hearsAck(6);
  });

  test('gets one message after the other without a loop, each handled when the next is asked for or it has replied', async () => {
    const stage = new Stage(language, 'player');
    await stage.endpoint.open();
    const { ended } = stage.run('-Pull');
    await stage.endpoint.hears(({ said }) => said['n'] === 2);
    stage.endpoint.mail(3, 'PlanUpdate', {});
    stage.endpoint.mail(4, 'WorkAssign', { do: 'work', taskId: 'feat-001' });
    expect((await ended).code).toBe(0);
    const said = stage.endpoint.lines.slice(3).map((line) => line.said);
    expect(said).toEqual([{ ack: 3 }, expect.objectContaining({ type: 'WorkComplete' }), { ack: 4 }]);
  });

  test('sends again, over a new connection and under the same number, what was not accepted, and waits for that', async () => {
    const { endpoint, ended } = await connected(language, 'player');
    endpoint.accepts = false;
    endpoint.mail(5, 'WorkAssign', { do: 'talk', count: 3 });
    const first = await endpoint.hearsType('Response');
    await endpoint.close();
    endpoint.accepts = true;
    await endpoint.open();
    await endpoint.hears(({ connection, said }) => connection === 2 && said['n'] === 4);
    const second = endpoint.lines.filter(({ connection }) => connection === 2).map(({ said }) => said);
    expect(second[0]).toMatchObject({ hello: 1, run: endpoint.lines[0]?.said['run'], cursor: 5 });
    expect(second[1]).toEqual(first.said);
    expect(second.slice(1).map(({ n, payload }) => [n, payload])).toEqual([
      [2, { number: 1 }],
      [3, { number: 2 }],
      [4, { number: 3 }],
    ]);
    await endpoint.hearsAck(5);
    endpoint.mail(0, 'System', shutdown);
    expect((await ended).code).toBe(42);
  });

  test('handles nothing twice that comes again over a new connection, and says again that it was handled', async () => {
    const { endpoint, ended } = await connected(language, 'player');
    endpoint.mail(5, 'WorkAssign', { do: 'work', taskId: 'feat-001' });
    await endpoint.hearsAck(5);
    await endpoint.close();
    await endpoint.open();
    await endpoint.hears(({ connection }) => connection === 2);
    const since = endpoint.lines.length;
    endpoint.mail(5, 'WorkAssign', { do: 'work', taskId: 'feat-001' });
    await endpoint.hearsAck(5, since);
    endpoint.mail(6, 'WorkAssign', { do: 'work', taskId: 'feat-002' });
    await endpoint.hearsAck(6);
    endpoint.mail(0, 'System', shutdown);
    expect((await ended).code).toBe(42);
    const done = endpoint.lines.filter(({ said }) => said['type'] === 'WorkComplete');
    expect(done.map(({ said }) => said['payload'])).toMatchObject([{ taskId: 'feat-001' }, { taskId: 'feat-002' }]);
  });

  test('is told why a message was refused, in the place where it sent it', async () => {
    const { endpoint, ended } = await connected(language, 'player');
    endpoint.accepts = false;
    endpoint.mail(5, 'WorkAssign', { do: 'work', taskId: 'feat-001' });
    await endpoint.hearsType('WorkComplete');
    endpoint.say({ refused: 2, reason: 'It is too long. Put it into a file.' });
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain('It is too long. Put it into a file.');
  });

  test('obeys a shutdown before the work that waits, which is left for its next process', async () => {
    const { endpoint, ended } = await connected(language, 'player');
    endpoint.accepts = false;
    endpoint.mail(5, 'WorkAssign', { do: 'work', taskId: 'feat-001' });
    await endpoint.hearsType('WorkComplete');
    endpoint.mail(6, 'WorkAssign', { do: 'work', taskId: 'feat-002' });
    endpoint.mail(0, 'System', shutdown);
    endpoint.say({ accepted: 2 });
    expect((await ended).code).toBe(42);
    const acks = endpoint.lines.flatMap(({ said }) => ('ack' in said ? [said['ack']] : []));
    expect(acks).toEqual([5]);
  });

  test('works over the endpoint of existing agents, where nobody confirms anything, and comes back to it', async () => {
    const { endpoint, ended } = await connected(language, 'developer', 'compatible');
    expect(endpoint.lines[0]?.said).toMatchObject({ type: 'AgentStatus', payload: { status: 'ready' } });
    endpoint.mail(1, 'WorkAssign', { taskId: 'feat-001' });
    expect((await endpoint.hearsType('WorkComplete')).said).not.toHaveProperty('n');
    await endpoint.close();
    await endpoint.open();
    await endpoint.hears(({ connection, said }) => connection === 2 && said['type'] === 'AgentStatus');
    endpoint.mail(2, 'Query', { question: 'Where?' });
    await endpoint.hearsType('Response');
    endpoint.mail(3, 'System', shutdown);
    expect((await ended).code).toBe(42);
    expect(endpoint.lines.filter(({ said }) => 'ack' in said || 'hello' in said)).toEqual([]);
  });

  test('says how to start its supervisor and leaves with 1 where nobody answers', async () => {
    const stage = new Stage(language, 'player');
    const { code, stderr } = await stage.run('-TimeoutMs', '500').ended;
    expect(code).toBe(1);
    expect(stderr).toContain("Nobody answers for the agent 'player'");
    expect(stderr).toContain('rollcall agent start player');
  });

  test('gives up at once where the supervisor refuses it', async () => {
    const stage = new Stage(language, 'player');
    stage.endpoint.accepts = false;
    await stage.endpoint.open();
    const { ended } = stage.run();
    await stage.endpoint.hearsType('AgentStatus');
    stage.endpoint.say({ refused: 0, reason: 'This token is not the one. Start the agent again.' });
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain('This token is not the one.');
  });
});

it('lets agents of every language leave with 1 when their supervisor is gone for good', async () => {
  const agents = await Promise.all(
    languages.filter(({ command }) => command !== null).map(async (language) => connected(language, 'player')),
  );
  await Promise.all(agents.map(async ({ endpoint }) => endpoint.close()));
  const ends = await Promise.all(agents.map(async ({ ended }) => ended));
  expect(ends.map(({ code }) => code)).toEqual(agents.map(() => 1));
});
