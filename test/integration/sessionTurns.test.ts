import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import type { SessionSnapshot } from '../../src/core/protocol/actors/sessionSnapshot';
import { eventually } from '../support/keeperRig';
import { good, logOf, sessionProject, untilSession } from '../support/sessionProject';
import { openTestHost } from '../support/testHost';

const by = { requestedBy: 'cli' } as const;
const turnAgent = fileURLToPath(new URL('../fixtures/agents/turnAgent.mjs', import.meta.url));
const agent = { command: [process.execPath, turnAgent], restart: { backoffSeconds: [0.1] }, graceSeconds: 1 };

interface Turns {
  readonly root: string;
  readonly host: HostApi;
}

/** A started sequential session whose agents do in their turns what is written for them. */
async function sequence(turns: Readonly<Record<string, readonly string[]>>, more: object = {}): Promise<Turns> {
  const names = Object.keys(turns);
  const session = { mode: 'sequential', compatiblePipeNames: false, ...more };
  const { root, env } = await sessionProject(Object.fromEntries(names.map((name) => [name, agent])), session);
  for (const name of names) {
    writeFileSync(join(root, `turns-${name}.txt`), (turns[name] ?? []).join('\n'));
  }
  const host = await openTestHost(root, { env });
  await host.watch();
  await host.lead();
  good(await host.session.start(by));
  return { root, host };
}

function orderIn(root: string): readonly string[] {
  return readFileSync(join(root, 'order.txt'), 'utf8').trim().split('\n');
}

function contextsOf(root: string, name: string): readonly unknown[] {
  const lines = readFileSync(join(root, `${name}.turns.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => (JSON.parse(line) as { pending: { context: unknown } }).pending.context);
}

function fileIn(root: string, name: string): string {
  return join(root, '.claude', 'session', name);
}

async function over(host: HostApi): Promise<SessionSnapshot> {
  return await untilSession(host, ({ running, turn }) => !running && turn !== null && turn.status !== 'running');
}

describe('a sequential session', () => {
  it('passes the turn from agent to agent by file and by output, and a crash repeats the turn with its context', async () => {
    const { root, host } = await sequence({
      pm: ['file:developer', 'complete'],
      developer: ['crash', 'print:qa'],
      qa: ['stay:pm'],
    });
    const session = await over(host);
    expect(session.turn).toEqual({ agent: 'pm', iteration: 4, maxIterations: null, status: 'completed' });
    expect(orderIn(root)).toEqual(['pm', 'developer', 'developer', 'qa', 'pm']);
    const [first, second] = contextsOf(root, 'developer');
    expect(first).toMatch(/^## Handoff from pm\n\nfrom pm\n\n---\n/);
    expect(second).toBe(first);
    const { handoffs } = JSON.parse(readFileSync(fileIn(root, 'handoff-log.json'), 'utf8')) as { handoffs: object[] };
    expect(handoffs).toMatchObject([{ to: 'pm' }, { from: 'pm', to: 'developer' }, { to: 'qa' }, { to: 'pm' }]);
    // The log comes first; the files for others follow it.
    await eventually(async () => {
      const state = JSON.parse(readFileSync(fileIn(root, 'coordinator-state.json'), 'utf8')) as object;
      expect(state).toMatchObject({ status: 'completed', iteration: 4, orchestrationMode: 'single-agent' });
      expect(existsSync(fileIn(root, 'handoff-signal.json'))).toBe(false);
      expect(existsSync(fileIn(root, 'pending-handoff.json'))).toBe(false);
      return Promise.resolve();
    });
  });

  it('shows the person a hand-over to somebody who is not there, and is over', async () => {
    const { host } = await sequence({ pm: ['file:develper'], developer: [] });
    const session = await over(host);
    expect(session.turn?.status).toBe('failed');
    const { inbox } = await untilSession(host, (one) => one.inbox.length > 0);
    expect(inbox[0]?.text).toContain('Did you mean developer?');
  });

  it('ends at its limit of turns, and by the word that an agent prints', async () => {
    const limited = await sequence({ pm: ['file:qa'], qa: ['file:pm'] }, { maxIterations: 2 });
    expect((await over(limited.host)).turn).toMatchObject({ status: 'max_iterations_reached', iteration: 2 });
    const printed = await sequence({ pm: ['printComplete'] });
    expect((await over(printed.host)).turn?.status).toBe('completed');
  });

  it('goes on under the next leader where the one before left it', async () => {
    const { root, host } = await sequence({ pm: ['stay:developer'], developer: ['printComplete'] });
    await host.shutdown();
    const next = await openTestHost(root, { env: process.env });
    await next.watch();
    await next.lead();
    await over(next);
    expect(orderIn(root)).toEqual(['pm', 'developer']);
    expect(logOf(root).filter(({ type }) => type === 'TurnStarted')).toHaveLength(2);
  });
});
