import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { SessionSnapshot } from '../../src/core/protocol/actors/sessionSnapshot';
import { addAgent, powershell } from '../support/agentLanguages';
import { completesIn, runsIn, scriptedEngines } from '../support/callProject';
import { killAgentKeeper } from '../support/killAgentKeeper';
import { agentIn, good, logOf, sessionProject, untilSession } from '../support/sessionProject';
import { openTestHost } from '../support/testHost';

const by = { requestedBy: 'cli' } as const;

async function startSession() {
  const command = [...(powershell.command ?? []), '.claude/agents/existing/existing.ps1'];
  const { root, env } = await sessionProject(
    { existing: { command, engine: 'claude', start: 'session', restart: { max: 3, backoffSeconds: [1] } } },
    { compatiblePipeNames: true },
  );
  addAgent(root, powershell, 'existing');
  const host = await openTestHost(root, { env, engines: () => scriptedEngines });
  await host.watch();
  await host.lead();
  good(await host.session.start(by));
  await untilSession(host, isConnected);
  const send = async (type: string, payload: Readonly<Record<string, unknown>>): Promise<void> => {
    good(await host.session.send({ ...by, to: 'existing', type, payload }));
  };
  return { root, host, send };
}

function isConnected({ agents }: SessionSnapshot): boolean {
  return agents[0]?.state === 'running' && agents[0].connected;
}

function saidOf(root: string, type: string): readonly unknown[] {
  return logOf(root).flatMap((event) => {
    const { message } = event.data as { message?: { type: string; from: string; payload: unknown } };
    return event.type === 'MessageSent' && message?.type === type && message.from === 'existing'
      ? [message.payload]
      : [];
  });
}

describe.skipIf(powershell.command === null)(
  'a session with an agent of another supervisor, in real PowerShell',
  () => {
    it('is heard by it and hears it, whatever the length of a line, and takes its 0 for the end that it was asked for', async () => {
      const { root, host, send } = await startSession();
      await send('WorkAssign', { taskId: 't1' });
      await send('Query', { question: 'x'.repeat(60_000) });
      await send('PlanUpdate', { text: '€ \u{1F680} "quoted"' });
      await send('WorkAssign', { taskId: 't2' });
      await vi.waitFor(() => {
        expect(saidOf(root, 'WorkComplete')).toEqual([{ taskId: 't1' }, { taskId: 't2' }]);
        expect(saidOf(root, 'Response')).toEqual([{ answer: 60_000 }]);
        expect(saidOf(root, 'Retrospective')).toEqual([{}]);
      }, 60_000);
      good(await host.session.stop({ ...by, force: false }));
      await untilSession(host, ({ agents }) => agents[0]?.state === 'stopped');
      expect(agentIn(await host.look(), 'existing').exit?.code).toBe(0);
      expect(logOf(root).map(({ type }) => type)).not.toContain('AgentCrashed');
    });

    it('has the supervisor run its command line, and hears what came of it and all that was sent meanwhile', async () => {
      const { root, host, send } = await startSession();
      const invoke = async (prompt: string | null) => {
        await send('WorkAssign', { taskId: 't1', do: 'invoke', prompt });
      };
      const untilSaid = async (count: number) => {
        await vi.waitFor(() => {
          expect(saidOf(root, 'Response')).toHaveLength(count);
        }, 60_000);
      };
      await invoke('wait go');
      await vi.waitFor(() => {
        expect(runsIn(root)).toEqual(['wait go']);
      }, 60_000);
      // While it waits for its answer it would drop these.
      await send('Query', { question: 'x' });
      await invoke('exit 3');
      writeFileSync(join(root, 'go'), '');
      await untilSaid(3);
      await invoke(null);
      await untilSaid(4);
      expect(saidOf(root, 'Response')).toEqual([
        { success: true, exitCode: 0, text: 'waited' },
        { answer: 1 },
        { success: false, exitCode: 3, text: expect.stringMatching(/\.$/) },
        { success: false, exitCode: -1, text: expect.stringContaining('must be files in the session folder') },
      ]);
      expect(runsIn(root)).toEqual(['wait go', 'exit 3']);
      expect(completesIn(root)).toHaveLength(3);
      good(await host.session.stop({ ...by, force: false }));
      await untilSession(host, ({ agents }) => agents[0]?.state === 'stopped');
    });

    it('is ended and started again when its keeper died, and gets the work that it had not answered', async () => {
      const { root, host, send } = await startSession();
      const { pid } = agentIn(await host.look(), 'existing');
      await send('WorkAssign', { taskId: 't1' });
      await send('WorkAssign', { taskId: 't2', do: 'nothing' });
      await vi.waitFor(() => {
        expect(saidOf(root, 'WorkComplete')).toHaveLength(1);
        expect(logOf(root).filter(({ type }) => type === 'MessageDelivered')).toHaveLength(2);
      }, 60_000);
      killAgentKeeper(root, 'existing');
      await untilSession(host, (session) => session.agents[0]?.pid !== pid && isConnected(session));
      await vi.waitFor(() => {
        const delivered = logOf(root).filter(({ type }) => type === 'MessageDelivered');
        expect(delivered.map(({ data }) => data['redelivered'] === true)).toEqual([false, false, true]);
      }, 60_000);
      expect(saidOf(root, 'WorkComplete')).toEqual([{ taskId: 't1' }]);
    });
  },
);
