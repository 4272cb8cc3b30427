import { describe, expect, it } from 'vitest';
import { anEngineSnapshot } from '../../../../test/support/engineParts';
import { agentSnapshot, messageSnapshot } from '../../../../test/support/sessionSnapshots';
import { readerAfter, START } from '../../../../test/support/snapshots';
import type { AgentSnapshot } from '../../protocol/actors/sessionSnapshot';
import type { ExitRecord } from '../../protocol/keeper/exitRecord';
import { agentActions } from './agentActions';
import { agentRow } from './agentRow';
import { agentTooltip } from './agentTooltip';
import { agentWhyText } from './agentWhyText';

const reader = readerAfter(134);

const crash: ExitRecord = {
  code: 3,
  signal: null,
  at: '2026-03-01T14:31:00.000Z',
  class: 'crash',
  requestedBy: null,
  forced: false,
};
const asks = { kind: 'question', text: 'Which auth flow?' } as const;
const endedAt = START + 60_000;
const usage = { inputTokens: 12_000, cachedTokens: 0, outputTokens: 500, costUsd: 0.03 };
const engine = anEngineSnapshot({ tool: 'Write', file: '/project/a.md', usage });

const ROWS: readonly (readonly [string, Partial<AgentSnapshot>, string, string])[] = [
  ['that was never started is quiet', { state: null, connected: false }, 'circle-outline', 'not started'],
  ['that starts spins', { state: 'starting', connected: false }, 'loading~spin', 'starting · 2m 14s'],
  ['that runs tells how long', {}, 'play-circle', 'running · 2m 14s'],
  ['that said what it does tells that', { status: 'idle' }, 'play-circle', 'idle · 2m 14s'],
  ['that has a task names it', { status: 'working', currentTask: 'T-12' }, 'play-circle', 'T-12 · 2m 14s'],
  ['whose mail waits tells how much', { status: 'idle', waiting: 2 }, 'play-circle', 'idle · 2 waiting'],
  ['that has not connected says so', { connected: false }, 'play-circle', 'not connected · 2m 14s'],
  ['that asks says what', { attention: asks }, 'bell-dot', 'asks: Which auth flow?'],
  ['that asked and left asks still', { state: 'completed', attention: asks }, 'bell-dot', 'asks: Which auth flow?'],
  [
    'that was stopped after it asked says how it ended',
    { state: 'stopped', attention: asks, endedAt },
    'circle-slash',
    'stopped · 14:31',
  ],
  [
    'that is stopping tells since when',
    { state: 'stopping', stop: { requestedBy: 'vscode', at: '2026-03-01T14:32:28Z', steps: [], finished: false } },
    'stop-circle',
    'stopping · asked 8 s ago',
  ],
  [
    'in backoff counts down',
    { state: 'backoff', restarts: 2, nextRestartAt: reader.now + 18_000 },
    'history',
    'restarts in 18 s (2 of 3)',
  ],
  [
    'in backoff with mail tells both',
    { state: 'backoff', restarts: 2, nextRestartAt: reader.now + 18_000, waiting: 1 },
    'history',
    'restarts in 18 s (2 of 3) · 1 waiting',
  ],
  [
    'that is parked tells until when',
    { state: 'parked', nextRestartAt: START + 600_000 },
    'debug-pause',
    'rate limit, till 14:40 · 7m 46s',
  ],
  [
    'on an engine tells what that does and what it cost',
    { currentTask: 'T-12', engine },
    'play-circle',
    'T-12 · Write a.md · $0.03 · 2m 14s',
  ],
  [
    'whose call runs tells what that does, what its calls cost, and since when it waits',
    { status: 'waiting', engine, calls: [reader.now - 12_000, reader.now] },
    'play-circle',
    'waiting · calls for 12 s · Write a.md · $0.03',
  ],
  ['that left with 0 is done', { state: 'completed', endedAt }, 'pass', 'completed · 14:31'],
  ['that failed tells why', { state: 'failed', exit: crash, endedAt }, 'error', 'crashed (exit 3) · 14:31'],
  [
    'that gave up says so',
    { state: 'failed', exit: crash, endedAt, attention: { kind: 'gave-up', text: 'x' } },
    'error',
    'gave up (exit 3) · 14:31',
  ],
  [
    'that a person stopped names them',
    { state: 'stopped', exit: { ...crash, requestedBy: 'vscode' }, endedAt },
    'circle-slash',
    'stopped by you · 14:31',
  ],
  ['that nobody can tell of says that', { state: 'unknown' }, 'question', 'no sign of life, no exit seen'],
];

describe('the row of an agent', () => {
  it.each(ROWS)('%s', (_title, changes, icon, description) => {
    const row = agentRow(agentSnapshot(changes), reader);
    expect([row.icon.name, row.description]).toEqual([icon, description]);
  });

  it.each([
    ['running', 'agent.running.up', {}],
    ['backoff', 'agent.backoff.waits', {}],
    ['failed', 'agent.failed.down', {}],
    [null, 'agent.new.down', {}],
    ['running', 'agent.running.up.asks', { attention: asks }],
  ] as const)('in state %s offers the actions of %s', (state, contextValue, changes) => {
    expect(agentRow(agentSnapshot({ state, ...changes }), reader).contextValue).toBe(contextValue);
  });

  it('says its state aloud once', () => {
    expect(agentRow(agentSnapshot({ status: 'idle' }), reader).accessibleLabel).toBe(
      'developer, running, idle, 2m 14s',
    );
    expect(agentRow(agentSnapshot(), reader).accessibleLabel).toBe('developer, running, 2m 14s');
  });
});

describe('the reasons of an agent', () => {
  const failed = agentSnapshot({
    state: 'failed',
    exit: crash,
    endedAt,
    restarts: 3,
    attention: { kind: 'gave-up', text: 'developer was given up after 3 restarts.' },
    evidence: [{ source: 'exit record', says: 'crash', at: endedAt }],
  });

  it('are a document with cause, evidence, what to do, and the end of its log', () => {
    const text = agentWhyText(failed, ['port in use'], reader);
    const wanted = [
      /^developer · failed · gave up \(exit 3\)/,
      /Ran 1m 00s, from 2026-03-01 14:30/,
      /Exit: crash, exit 3/,
      /Restarts so far: 3 of 3/,
      /developer was given up after 3 restarts\./,
      /exit record: crash · 1m 14s ago/,
      /Mend the cause, then start it again\./,
      /port in use$/,
    ];
    for (const line of wanted) {
      expect(text).toMatch(line);
    }
  });

  it('have its newest messages with every word of them, which are its results', () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7];
    const messages = numbers.map((seq) =>
      messageSnapshot(
        { seq },
        { from: 'developer', to: 'pm', type: 'WorkComplete', payload: { notes: `one\n${seq}` } },
      ),
    );
    const text = agentWhyText(agentSnapshot({ messages, engine: { ...engine, files: ['a.md'] } }), [], reader);
    expect(text).toContain('\n\nFiles written\n  a.md\n\nEvidence\n');
    expect(text).toMatch(/\n\nMessages\n {2}2026-03-01 \S+ {2}#7 {2}developer → pm {2}WorkComplete {2}\(/);
    expect(text).toContain('      notes: one\n        7\n\n');
    expect(text).toContain('#3  ');
    expect(text).not.toContain('#2  ');
  });

  it('stand in the tooltip with its numbers', () => {
    const tooltip = agentTooltip(failed, reader).replaceAll('\\', '');
    expect(tooltip).toContain('| Restart count | 3 of 3 |');
    expect(tooltip).toContain('| Exit | crash · exit 3 |');
  });

  it.each([
    'starting',
    'running',
    'stopping',
    'backoff',
    'parked',
    'completed',
    'failed',
    'stopped',
    'unknown',
    null,
  ] as const)('always end in something to do (%s)', (state) => {
    expect(agentActions(agentSnapshot({ state }), reader.t).length).toBeGreaterThan(0);
  });

  it('send a person who is asked to the question', () => {
    expect(agentActions(agentSnapshot({ attention: asks }), reader.t)[0]).toBe('Answer it in Needs you.');
  });
});
