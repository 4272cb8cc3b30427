import { expect, it } from 'vitest';
import { eventually } from '../support/keeperRig';
import { runCli, startCli } from '../support/runCli';
import { rawAgentCommand, sessionProject } from '../support/sessionProject';

it('leads a session in the foreground, and takes tasks, questions and answers from other terminals', async () => {
  const agent = { command: rawAgentCommand(), graceSeconds: 2 };
  const { root, env } = await sessionProject({ a: { ...agent, start: 'session' }, b: agent });
  const leader = startCli(root, ['session', 'start'], { env });
  await leader.printed('The session has started. Agents: a.');
  const payload = JSON.stringify({ taskId: 't1', do: ['ask'] });
  const sent = await runCli(root, 'send', '--to', 'b', '--type', 'WorkAssign', '--payload', payload, '--json');
  expect(JSON.parse(sent.stdout)).toMatchObject({
    schema: 1,
    agents: ['b'],
    messageId: expect.stringMatching(/^msg-/),
  });
  const item = await eventually(async () => {
    const { inbox } = JSON.parse((await runCli(root, 'inbox', '--json')).stdout) as { inbox: { id: string }[] };
    expect(inbox).toMatchObject([{ kind: 'question', agent: 'b', text: 'How about t1?', canAnswer: true }]);
    return inbox[0]?.id ?? '';
  });
  const allowed = await runCli(root, 'allow', item);
  expect(allowed).toMatchObject({ code: 1, stderr: `${item} wants an answer: \`rollcall answer ${item} <text>\`\n` });
  expect((await runCli(root, 'inbox', 'answer', item, 'Well.')).code).toBe(0);
  expect((await runCli(root, 'inbox', 'answer', item, 'Well.')).code).toBe(1);
  const status = JSON.parse((await runCli(root, 'status', '--json')).stdout) as { agents: object[] };
  expect(status.agents).toMatchObject([
    { name: 'a', state: 'running', restarts: 0, nextRestartAt: null, waiting: 0, attention: null },
    { name: 'b', state: 'running' },
  ]);
  expect((await runCli(root, 'logs', 'b')).stdout).toBe('b begins\n');
  expect(JSON.parse((await runCli(root, 'why', 'b', '--json')).stdout)).toMatchObject({ id: 'b', state: 'running' });
  const unknown = await runCli(root, 'send', '--to', 'c', '--type', 'Query', '--json');
  expect(unknown.code).toBe(1);
  expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { code: 'not-found' } });
  expect((await runCli(root, 'send', '--to', 'b', '--type', 'Query', '--payload', '[1]')).code).toBe(2);
  leader.child.kill('SIGINT');
  expect((await leader.ended).code).toBe(130);
  const { stdout } = await runCli(root, 'session', 'status');
  expect(stdout).toContain('No session runs.');
  expect(stdout.match(/stopped by cli/g)).toHaveLength(2);
});

it('names the agents that were not started, and why', async () => {
  const agent = { command: rawAgentCommand(), start: 'session', graceSeconds: 2 };
  const { root, env } = await sessionProject({ a: agent, qa: { command: ['no-such-program'], start: 'session' } });
  const leader = startCli(root, ['session', 'start'], { env });
  await leader.printed(
    "Agents: a. qa was not started: no-such-program was not found. Install it, or correct the agent's command.",
  );
  leader.child.kill('SIGINT');
  expect((await leader.ended).code).toBe(130);
});

it('says that a message waits where nobody leads, and names the agents that can be started', async () => {
  const { root, env } = await sessionProject({ a: { command: rawAgentCommand(), graceSeconds: 2 } });
  const sent = await startCli(root, ['send', '--to', 'a', '--type', 'Query'], { env }).ended;
  expect(sent).toEqual({
    code: 0,
    stdout: 'Query is sent to a.\n',
    stderr:
      'Nobody leads this project. What waits for agents, and what they say, goes on once `rollcall session start` or a window leads.\n',
  });
  const nobody = await startCli(root, ['agent', 'start', 'nobody'], { env }).ended;
  expect(nobody).toMatchObject({ code: 1, stderr: 'No agent is called nobody. Start one of a.\n' });
});

it('listens for nobody whose name is no agent’s', async () => {
  const { root, env } = await sessionProject({ a: { command: rawAgentCommand() } });
  for (const [name, text] of [
    ['watchdog', 'means somebody else'],
    ['person', 'means somebody else'],
    ['../x', 'Use small letters, digits and -'],
    ['A', 'Use small letters, digits and -'],
  ] as const) {
    const refused = await startCli(root, ['agent', 'listen', name], { env }).ended;
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(text) });
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
  }
});

it('stops listening for an agent that never came, also where nobody leads', async () => {
  const { root, env } = await sessionProject({ a: { command: rawAgentCommand() } });
  const run = async (...args: readonly string[]): Promise<string> => (await startCli(root, args, { env }).ended).stdout;
  expect(await run('agent', 'listen', 'guest')).toContain('Listening for guest.');
  expect(await run('agent', 'stop', 'guest')).toContain('Stopping guest.');
  await eventually(async () => {
    expect(await run('session', 'status')).toMatch(/guest +stopped by cli/);
  });
});
