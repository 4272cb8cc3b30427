import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import {
  act,
  call,
  callKeepersOf,
  type CallProject,
  callProject,
  completesIn,
  processesOfCalls,
  runsIn,
  untilCompletes,
  untilRuns,
} from '../support/callProject';
import { engineProject } from '../support/engines/engineProject';
import { realEngines } from '../support/engines/realEngines';
import { eventually } from '../support/keeperRig';
import { type ModelServer, startModelServer } from '../support/modelServer/modelServer';
import { type RunningCli, startCli } from '../support/runCli';
import { agentIn, good, heardBy, logOf, rawAgentCommand, untilSession } from '../support/sessionProject';
import { ShiftedClock } from '../support/shiftedClock';
import { openTestHost } from '../support/testHost';

const by = { requestedBy: 'cli' } as const;

async function leading(project: CallProject, clock = new ShiftedClock()): Promise<HostApi> {
  const { root, env, engines } = project;
  const host = await openTestHost(root, { env, clock, engines: () => engines });
  await host.watch();
  await host.lead();
  return host;
}

/** A leader in a process of its own, which can be killed. */
async function leadingProcess({ root, env }: CallProject): Promise<RunningCli> {
  const leader = startCli(root, ['session', 'start'], { env });
  await leader.printed('The session');
  return leader;
}

function answerIn({ session }: CallProject, name: string): string | null {
  const path = join(session, `${name}.out`);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

describe('what an agent has the supervisor run for it', () => {
  it('asks its engine with the message file, and answers in the response file and by one CLIComplete', async () => {
    const project = await callProject();
    const host = await leading(project);
    await call(host, project, 'one', 'say Painted.');
    await eventually(async () => {
      const heard = heardBy(project.root, 'a').find(({ value }) => value.type === 'CLIComplete');
      expect(heard?.value).toMatchObject({
        from: 'watchdog',
        payload: { agentName: 'a', exitCode: 0, success: true, completedAt: expect.stringMatching(/Z$/) },
      });
      return Promise.resolve();
    });
    expect(answerIn(project, 'one')).toBe('Painted.');
    const invoke = logOf(project.root).find(({ data }) => JSON.stringify(data).includes('"CLIInvoke"'));
    expect(completesIn(project.root)).toMatchObject([
      { to: 'a', inReplyTo: (invoke?.data['message'] as { id: string }).id },
    ]);
  });

  it('is shown under its agent while it runs, and adds to what the agent cost', async () => {
    const project = await callProject();
    const { root } = project;
    const host = await leading(project);
    await call(host, project, 'one', 'say Painted.');
    await untilCompletes(root, 1);
    await call(host, project, 'two', 'use go');
    const asked = await untilSession(host, ({ agents }) => agents[0]?.engine?.tool === 'Write');
    expect(asked.agents[0]).toMatchObject({ calls: [expect.any(Number)], engine: { name: 'claude', file: '/a.md' } });
    await call(host, project, 'three', 'say three');
    await untilSession(host, ({ agents }) => agents[0]?.calls.length === 2);
    writeFileSync(join(root, 'go'), '');
    const over = await untilSession(host, ({ agents }) => agents[0]?.calls.length === 0);
    expect(over.agents[0]?.engine).toMatchObject({ tool: null, usage: { costUsd: 0.75 } });
    expect(over.agents[1]).toMatchObject({ engine: null, calls: [] });
  });

  it('fails with the exit code of its program and what to do, and leaves no answer', async () => {
    const project = await callProject();
    const host = await leading(project);
    await call(host, project, 'one', 'exit 3');
    const [payload] = await untilCompletes(project.root, 1);
    expect(payload).toMatchObject({ agentName: 'a', exitCode: 3, success: false, error: expect.stringMatching(/\.$/) });
    expect(answerIn(project, 'one')).toBeNull();
  });

  it('is refused where it has no engine, names another agent, or files that are not its own to name', async () => {
    const project = await callProject({ plain: { command: rawAgentCommand() } });
    const { root, session } = project;
    const host = await leading(project);
    writeFileSync(join(session, 'in'), 'say Hello');
    symlinkSync(join(root, 'precious'), join(session, 'linked'));
    writeFileSync(join(root, 'precious'), 'precious');
    const refusals = [
      ['plain', 'call:.claude/session/in:.claude/session/out', 'agents.plain.engine'],
      ['a', 'call:.claude/session/in:.claude/session/out:b', 'Name a as agentName'],
      ['a', 'call:.claude/session/in:precious', 'must be files in the session folder'],
      ['a', 'call:.claude/session/in:.claude/session/eventlog.jsonl', 'is a file of the session itself'],
      ['a', 'call:.claude/session/in:.claude/session/linked', 'leads out of'],
      ['a', 'call:.claude/session/nothing:.claude/session/out', 'There is no messageFile'],
    ] as const;
    for (const [index, [agent, step, text]] of refusals.entries()) {
      await act(host, agent, step);
      const answers = await untilCompletes(root, index + 1);
      expect(answers.at(-1)).toMatchObject({ agentName: agent, success: false, error: expect.stringContaining(text) });
    }
    expect(runsIn(root)).toEqual([]);
    expect(readFileSync(join(root, 'precious'), 'utf8')).toBe('precious');
  });

  it('is done one after the other for one agent, and side by side for two', async () => {
    const project = await callProject();
    const { root } = project;
    const host = await leading(project);
    await call(host, project, 'first', 'wait go');
    await untilRuns(root, 1);
    await call(host, project, 'second', 'say two');
    await call(host, project, 'other', 'say three', 'b');
    await untilCompletes(root, 1);
    expect(completesIn(root)[0]?.to).toBe('b');
    expect(runsIn(root)).toEqual(['wait go', 'say three']);
    writeFileSync(join(root, 'go'), '');
    await untilCompletes(root, 3);
    expect(runsIn(root)).toEqual(['wait go', 'say three', 'say two']);
    expect([answerIn(project, 'first'), answerIn(project, 'second')]).toEqual(['waited', 'two']);
    expect(callKeepersOf(project)).toHaveLength(1);
  });

  it('is ended with its whole tree once its time is over, which begins when it is accepted', async () => {
    const project = await callProject();
    const { root } = project;
    const clock = new ShiftedClock();
    const host = await leading(project, clock);
    await call(host, project, 'first', 'wait go');
    await untilRuns(root, 1);
    await call(host, project, 'second', 'hang');
    await eventually(async () => {
      expect(logOf(root).filter(({ data }) => JSON.stringify(data).includes('"CLIInvoke"'))).toHaveLength(2);
      return Promise.resolve();
    });
    clock.goAhead(306_000);
    writeFileSync(join(root, 'go'), '');
    const [, payload] = await untilCompletes(root, 2);
    expect(payload).toMatchObject({
      exitCode: -1,
      success: false,
      error: expect.stringContaining('longer than 310 s'),
    });
    expect(runsIn(root)).toEqual(['wait go', 'hang']);
    expect(await processesOfCalls(project)).toEqual([]);
  });

  it('is ended with its whole tree by a stop of the session, and answered before the agent leaves', async () => {
    const project = await callProject();
    const { root } = project;
    const host = await leading(project);
    good(await host.session.start(by));
    await call(host, project, 'one', 'hang');
    await untilRuns(root, 1);
    await eventually(async () => {
      // Ours, the program, and its child.
      expect((await processesOfCalls(project)).length).toBeGreaterThan(2);
    });
    good(await host.session.stop({ ...by, force: false }));
    await untilSession(host, ({ agents }) => agents.every(({ state }) => state === 'stopped' || state === null));
    expect(await processesOfCalls(project)).toEqual([]);
    expect(completesIn(root)).toMatchObject([
      { payload: { success: false, error: expect.stringContaining('asked to stop') } },
    ]);
    const types = logOf(root).map(({ type, data }) =>
      type === 'MessageSent' ? JSON.stringify(data['message']).includes('CLIComplete') : type,
    );
    expect(types.indexOf(true)).toBeLessThan(types.lastIndexOf('AgentExited'));
    expect(agentIn(await host.look(), 'a').exit?.code).toBe(42);
  });

  it('is ended where the agent that waits for it ends', async () => {
    const project = await callProject();
    const host = await leading(project);
    await call(host, project, 'one', 'hang');
    await untilRuns(project.root, 1);
    process.kill(agentIn(await host.look(), 'a').pid ?? 0, 'SIGKILL');
    const [payload] = await untilCompletes(project.root, 1);
    expect(payload).toMatchObject({ success: false, error: expect.stringContaining('has ended meanwhile') });
    expect(await processesOfCalls(project)).toEqual([]);
  });
});

describe('a call whose leader is killed', () => {
  it('is followed by the next one, run once and answered once', async () => {
    const project = await callProject();
    const { root } = project;
    const leader = await leadingProcess(project);
    const asked = await openTestHost(root, { env: project.env });
    await call(asked, project, 'one', 'wait go');
    await call(asked, project, 'two', 'say two');
    await untilRuns(root, 1);
    leader.child.kill('SIGKILL');
    await leader.ended;
    await leading(project);
    writeFileSync(join(root, 'go'), '');
    expect(await untilCompletes(root, 2)).toMatchObject([{ success: true }, { success: true }]);
    expect([answerIn(project, 'one'), answerIn(project, 'two')]).toEqual(['waited', 'two']);
    expect(runsIn(root)).toEqual(['wait go', 'say two']);
  });

  it('is answered by the next one where it ended while nobody led', async () => {
    const project = await callProject();
    const { root } = project;
    const leader = await leadingProcess(project);
    const asked = await openTestHost(root, { env: project.env });
    await call(asked, project, 'one', 'wait go');
    await untilRuns(root, 1);
    leader.child.kill('SIGKILL');
    await leader.ended;
    writeFileSync(join(root, 'go'), '');
    await eventually(async () => {
      expect(callKeepersOf(project)[0]?.attempts.at(-1)?.exit?.code).toBe(0);
      return Promise.resolve();
    });
    expect(completesIn(root)).toEqual([]);
    await leading(project);
    expect(await untilCompletes(root, 1)).toMatchObject([{ success: true }]);
    expect(runsIn(root)).toEqual(['wait go']);
  });

  it('fails and says so where its keeper was killed too; what is left of it is ended, and it is not run again', async () => {
    const project = await callProject();
    const { root } = project;
    const leader = await leadingProcess(project);
    const asked = await openTestHost(root, { env: project.env });
    await call(asked, project, 'one', 'hang');
    await untilRuns(root, 1);
    leader.child.kill('SIGKILL');
    await leader.ended;
    const record = callKeepersOf(project)[0];
    process.kill(record?.keeper.pid ?? 0, 'SIGKILL');
    process.kill(record?.process?.pid ?? 0, 'SIGKILL');
    await leading(project);
    expect(await untilCompletes(root, 1)).toMatchObject([
      { success: false, error: expect.stringContaining('cut off') },
    ]);
    expect(await processesOfCalls(project)).toEqual([]);
    expect(runsIn(root)).toEqual(['hang']);
  });

  it.each([40, 80, 120, 200])(
    '%i ms after the agent asked is answered exactly once, and never run twice',
    async (ms) => {
      const project = await callProject();
      const { root } = project;
      const leader = await leadingProcess(project);
      const asked = await openTestHost(root, { env: project.env });
      good(await asked.session.startAgent({ ...by, agent: 'a' }));
      await eventually(async () => {
        expect(agentIn(await asked.look(), 'a').connected).toBe(true);
      });
      await call(asked, project, 'one', 'say Painted.');
      await new Promise((resolve) => setTimeout(resolve, ms));
      leader.child.kill('SIGKILL');
      await leader.ended;
      await leading(project);
      const [payload] = await untilCompletes(root, 1);
      expect(runsIn(root).length).toBeLessThanOrEqual(1);
      expect(answerIn(project, 'one') === 'Painted.').toBe(payload?.['success']);
      expect(completesIn(root)).toHaveLength(1);
    },
  );
});

describe.skipIf(realEngines === null)('a call to a real engine', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(async () => {
    await server.close();
  });

  it('of claude puts what the model says into the response file', async () => {
    const script = (): { steps: { say: string }[] } => ({ steps: [{ say: 'All painted.' }] });
    const of = await engineProject({ name: 'claude', bin: realEngines ?? '', server, script });
    const file = join(of.root, '.vscode', 'workers.json');
    const agents = { a: { command: rawAgentCommand(), engine: 'claude' } };
    const session = { compatiblePipeNames: false };
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), agents, session }));
    const host = await openTestHost(of.root, { env: of.env, engines: () => of.engines });
    await host.watch();
    await host.lead();
    good(await host.session.start(by));
    const project = { root: of.root, session: join(of.root, '.claude', 'session'), env: of.env, engines: of.engines };
    await call(host, project, 'one', 'Paint the fence');
    expect(await untilCompletes(of.root, 1)).toMatchObject([{ agentName: 'a', exitCode: 0, success: true }]);
    expect(answerIn(project, 'one')).toBe('All painted.');
    const asked = server.requests
      .filter(({ scenario }) => scenario === of.scenario)
      .map(({ body }) => JSON.stringify(body));
    expect(asked.some((body) => body.includes('Paint the fence'))).toBe(true);
  });
});
