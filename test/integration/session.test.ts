import { describe, expect, it } from 'vitest';
import { eventually } from '../support/keeperRig';
import { agentIn, good, logOf, rawAgentCommand, sessionProject, untilSession } from '../support/sessionProject';
import { openTestHost } from '../support/testHost';

const by = { requestedBy: 'cli' } as const;

describe('a session', () => {
  it('gives a task to an agent that connects, and shows the person what it asks', async () => {
    const { root, env } = await sessionProject({ developer: { command: rawAgentCommand(), start: 'session' } });
    const host = await openTestHost(root, { env });
    await host.watch();
    await host.lead();
    good(await host.session.start(by));
    await untilSession(host, ({ agents }) => agents[0]?.state === 'running' && agents[0].connected);
    const payload = { taskId: 't1', do: ['ask', 'complete'] };
    good(await host.session.send({ ...by, to: 'developer', type: 'workassign', payload }));
    const { inbox } = await untilSession(host, (session) => session.inbox.length > 0);
    expect(inbox).toMatchObject([{ kind: 'question', agent: 'developer', text: 'How about t1?', canAnswer: true }]);
    good(await host.session.answer({ ...by, item: inbox[0]?.id ?? '', text: 'Do it.' }));
    await untilSession(host, (session) =>
      session.agents.some(({ messages }) => messages.some(({ message }) => message.payload['notes'] === 'Do it.')),
    );
    expect((await host.look()).session?.inbox).toEqual([]);
    good(await host.session.stop({ ...by, force: false }));
    await untilSession(host, ({ agents }) => agents[0]?.state === 'stopped');
    expect(agentIn(await host.look(), 'developer').exit?.code).toBe(42);
    // Looks read the keeper's record, which is there before the leader has heard of it.
    await eventually(async () => {
      expect(logOf(root).map(({ type }) => type)).toContain('AgentExited');
      return Promise.resolve();
    });
  });
});
