import { describe, expect, it } from 'vitest';
import { anExit } from '../../../../test/support/workerFacts';
import type { ExitRecord } from '../keeper/exitRecord';
import { agentEndEvent } from './agentEndEvent';
import { spentRestarts } from './spentRestarts';

describe('the end of an agent in the log', () => {
  it.each<[Partial<ExitRecord>, string, object]>([
    [{ code: 0, class: 'done' }, 'AgentExited', { exitCode: 0 }],
    [{ code: 42, class: 'asked to stop' }, 'AgentExited', { exitCode: 42 }],
    [{ code: 3, class: 'crash' }, 'AgentCrashed', { exitCode: 3, lastLine: 'boom' }],
    [{ code: null, signal: 'SIGSEGV', class: 'crash' }, 'AgentCrashed', { exitCode: null, reason: 'SIGSEGV' }],
    [{ code: 0, class: 'exit 0 unconnected' }, 'AgentCrashed', { exitCode: 0, reason: 'never connected' }],
    [{ code: null, signal: 'SIGTERM', class: 'never started' }, 'AgentCrashed', { reason: 'never connected' }],
    [
      { code: null, class: 'unknown exit' },
      'AgentCrashed',
      { exitCode: -1, reason: 'Supervisor recovered from crash' },
    ],
    [{ code: null, signal: 'SIGKILL', class: 'out of memory' }, 'AgentCrashed', { reason: 'out of memory (SIGKILL)' }],
    [{ code: 1, class: 'auth' }, 'AgentCrashed', { reason: 'auth' }],
    [{ code: 1, class: 'crash', reason: 'its keeper was killed' }, 'AgentCrashed', { reason: 'its keeper was killed' }],
  ])('of %j is %s', (exit, type, data) => {
    expect(agentEndEvent('qa', anExit(exit), 'boom')).toMatchObject({ type, data: { agent: 'qa', ...data } });
  });

  it('is a crash that the supervisor recovered from where nobody saw it', () => {
    const data = { agent: 'qa', exitCode: -1, reason: 'Supervisor recovered from crash' };
    expect(agentEndEvent('qa', null, '')).toEqual({ type: 'AgentCrashed', data });
  });
});

describe('what an agent has spent of its restarts', () => {
  const readyAt = '2026-03-01T14:00:00.000Z';
  const agent = { state: 'running', readyAt, restarts: 2, restartedAt: [readyAt, 'no time'] } as const;
  const after = (minutes: number): number => Date.parse(readyAt) + minutes * 60_000;

  it('is nothing in a row after ten healthy minutes, and still counts against storms', () => {
    expect(spentRestarts(agent, after(9), 600_000)).toEqual({ used: 2, recent: [Date.parse(readyAt)] });
    expect(spentRestarts(agent, after(10), 600_000)).toEqual({ used: 0, recent: [Date.parse(readyAt)] });
  });

  it('does not shrink while it waits or has ended', () => {
    expect(spentRestarts({ ...agent, state: 'backoff' }, after(60), 600_000).used).toBe(2);
    expect(spentRestarts({ ...agent, readyAt: null }, after(60), 600_000).used).toBe(2);
  });
});
