import { describe, expect, it } from 'vitest';
import { anAsk, anEngineSnapshot } from '../../../test/support/engineParts';
import { agentSnapshot, sessionSnapshot } from '../../../test/support/sessionSnapshots';
import { fleetSnapshot, readerAfter, START, workerSnapshot } from '../../../test/support/snapshots';
import { anExit } from '../../../test/support/workerFacts';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { engineRow, type ShownEngine } from './engineRow';
import { usageWords, usedToday } from './engineWords';
import { needsCount } from './needs';
import { nextActions } from './nextActions';
import { requestNamed } from '../protocol/workers/itemIds';
import { toTree } from './toTree';
import type { TreeNode } from './treeNode';
import { toRow } from './workerRow';
import { plainEnglish } from './words';

const reader = readerAfter(134);
const usage = { inputTokens: 12_345, cachedTokens: 0, outputTokens: 678, costUsd: 0.0312 };

function rowOf(changes: Partial<WorkerSnapshot>): string {
  const { icon, description } = toRow(workerSnapshot(changes), 'health-check', reader);
  return `${icon.name} | ${description}`;
}

function needs(workers: readonly WorkerSnapshot[]): readonly TreeNode[] {
  const [group] = toTree([fleetSnapshot(workers)], reader).filter(({ id }) => id.endsWith('#needs'));
  return group?.children ?? [];
}

describe('the row of a worker on an engine', () => {
  it('tells what the model does, beside the progress of the protocol', () => {
    const engine = anEngineSnapshot({ tool: 'Write', file: '.keysarium/workers/x/output/report.md' });
    expect(rowOf({ engine })).toBe('play-circle | Write report.md · 2m 14s');
    const progress = { phase: 'scanning', items_processed: 3, total_items: 7 };
    expect(rowOf({ engine, progress })).toBe('play-circle | 3/7 scanning · Write report.md · 2m 14s');
    const retrying = anEngineSnapshot({ retrying: 'overloaded' });
    expect(rowOf({ engine: retrying })).toBe('play-circle | tries again: overloaded · 2m 14s');
    expect(rowOf({ engine: anEngineSnapshot() })).toBe('play-circle | running · 2m 14s');
    const refused = anEngineSnapshot({ refused: { count: 2, last: '/project/notes.md' } });
    expect(rowOf({ engine: refused })).toBe('play-circle | running · 2m 14s · write refused: notes.md');
  });

  it('counts down to the end of a rate limit', () => {
    const exit = anExit({ class: 'rate limited' });
    const nextStartAt = reader.now + 250_000;
    expect(rowOf({ state: 'parked', exit, nextStartAt })).toBe('debug-pause | rate limit, till 14:36 · 4m 10s');
    expect(rowOf({ state: 'parked', exit, nextStartAt: START })).toBe('debug-pause | rate limit is over, goes on soon');
    const hung = anExit({ class: 'never started', transient: true });
    expect(rowOf({ state: 'parked', exit: hung, nextStartAt: START })).toBe(
      'debug-pause | did not start, is started once more',
    );
  });

  it('tells at its end what it cost', () => {
    const engine = anEngineSnapshot({ usage });
    expect(rowOf({ state: 'completed', endedAt: START + 62_000, engine })).toBe('pass | completed · 1m 02s · $0.03');
  });

  it('offers its session only while nobody works in it', () => {
    const marks = (changes: Partial<WorkerSnapshot>): string =>
      toRow(workerSnapshot({ engine: anEngineSnapshot(), ...changes }), 'x', reader).contextValue;
    expect(marks({})).toBe('worker.running.owned');
    expect(marks({ state: 'parked' })).toBe('worker.parked.owned.session');
    expect(marks({ state: 'completed', endedAt: START })).toBe('worker.completed.owned.session');
    const without = anEngineSnapshot({ sessionId: null });
    expect(marks({ state: 'completed', endedAt: START, engine: without })).toBe('worker.completed.owned');
  });
});

describe('Needs you', () => {
  it('has each request of a worker by itself, the oldest first', () => {
    const young = anAsk({ requestId: 'b', since: new Date(START + 20_000).toISOString() });
    const old = anAsk({
      requestId: 'a',
      isQuestion: true,
      text: 'Which folder?',
      since: new Date(START + 10_000).toISOString(),
    });
    const engine = anEngineSnapshot({ asks: [young, old] });
    const attention = { kind: 'permission', text: young.text } as const;
    const worker = workerSnapshot({ engine, attention });
    const rows = needs([worker]);
    expect(rows.map(({ kind, description, contextValue }) => [kind, description, contextValue])).toEqual([
      ['ask', 'Which folder?', 'ask.question'],
      ['ask', 'Bash: npm test', 'ask.permission'],
    ]);
    expect(rows.map(({ itemId }) => itemId)).toEqual([`ask:${worker.workerId}:a`, `ask:${worker.workerId}:b`]);
    expect(needsCount([fleetSnapshot([worker])])).toBe(2);
    expect(rowOf({ engine, attention })).toBe('bell-dot | asks: Bash: npm test');
  });

  it('tells files of the project without the way to it', () => {
    const ask = anAsk({ text: 'Write: /project/notes/today.md' });
    const attention = { kind: 'permission', text: ask.text } as const;
    const worker = workerSnapshot({ engine: anEngineSnapshot({ asks: [ask] }), attention });
    expect(needs([worker]).map(({ description }) => description)).toEqual(['Write: notes/today.md']);
    expect(rowOf({ engine: worker.engine, attention })).toBe('bell-dot | asks: Write: notes/today.md');
  });

  it('folds away what was put off, quiet and not counted, until it is back', () => {
    const engine = anEngineSnapshot({ asks: [anAsk({ requestId: 'a' }), anAsk({ requestId: 'b' })] });
    const attention = { kind: 'permission', text: 'Bash: npm test' } as const;
    const asking = workerSnapshot({ engine, attention });
    const snoozed = { [`ask:${asking.workerId}:a`]: Date.UTC(2026, 2, 1, 15), [`worker:${asking.workerId}`]: START };
    const worker = { ...asking, snoozed };
    const back = { itemId: `ask:${worker.workerId}:b` };
    const away = {
      description: 'till 15:00 · Bash: npm test',
      icon: { name: 'bell-slash', color: null },
      contextValue: 'snoozed.ask.permission',
    };
    const folded = { label: 'Snoozed', description: '1', expand: 'collapsed', children: [away] };
    expect(toTree([fleetSnapshot([worker])], reader)[0]).toMatchObject({ description: '1', children: [back, folded] });
    expect(needsCount([fleetSnapshot([worker])])).toBe(1);
  });

  it('names a request so that it is found again, or the worker where it names none', () => {
    expect(requestNamed('ask:wkr-20260301-143022-health-check:req:1')).toEqual({
      worker: 'wkr-20260301-143022-health-check',
      requestId: 'req:1',
    });
    expect(requestNamed('wkr-2026')).toEqual({ worker: 'wkr-2026' });
  });
});

describe('what was used', () => {
  it('is told in few letters', () => {
    expect(usageWords(usage, plainEnglish)).toBe('12.3k in · 678 out · $0.03');
    expect(usageWords({ ...usage, costUsd: null }, plainEnglish)).toBe('12.3k in · 678 out');
    expect(usageWords({ ...usage, inputTokens: 2_500_000, costUsd: 0.0004 }, plainEnglish)).toBe(
      '2.5M in · 678 out · $0.0004',
    );
    expect(usageWords({ inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: null }, plainEnglish)).toBe('');
  });

  it('adds up over the workers of one day', () => {
    const engine = anEngineSnapshot({ usage });
    const workers = [
      workerSnapshot({ workerId: 'wkr-a', engine }),
      workerSnapshot({ workerId: 'wkr-b', engine, startedAt: START - 60_000 }),
      workerSnapshot({ workerId: 'wkr-c', engine, startedAt: START - 24 * 3_600_000 }),
      workerSnapshot({ workerId: 'wkr-d' }),
    ];
    expect(usedToday([fleetSnapshot(workers)], reader)).toEqual({
      ...usage,
      inputTokens: 24_690,
      outputTokens: 1_356,
      costUsd: 0.0624,
    });
  });

  it('adds what agents of sessions used on that day, since they live for many', () => {
    const total = (share: number): typeof usage => ({ ...usage, outputTokens: 100 * share, costUsd: share });
    const usageMarks = [
      { at: START - 24 * 3_600_000, total: total(3) },
      { at: START, total: total(4) },
    ];
    const agents = [agentSnapshot({ usageMarks }), agentSnapshot({ name: 'qa', usageMarks }), agentSnapshot()];
    const worker = workerSnapshot({ engine: anEngineSnapshot({ usage }) });
    expect(usedToday([fleetSnapshot([worker], { session: sessionSnapshot(agents) })], reader)).toEqual({
      ...usage,
      outputTokens: 878,
      costUsd: 2.0312,
    });
  });
});

describe('an engine in a list', () => {
  const found: ShownEngine = {
    name: 'claude',
    isExperimental: false,
    path: '/usr/bin/claude',
    version: '2.1.197',
    login: 'yes',
    loginBy: 'ANTHROPIC_API_KEY',
    trouble: null,
    advice: null,
    types: ['health-check', 'consolidate'],
    runsUnasked: [],
  };

  it.each<[string, Partial<ShownEngine>, string, string]>([
    [
      'where it is and who uses it',
      {},
      '2.1.197 · signed in',
      '/usr/bin/claude · by ANTHROPIC_API_KEY · used by health-check, consolidate',
    ],
    [
      'how to sign in',
      { login: 'no', loginBy: null, types: [], advice: 'Run: claude auth login' },
      '2.1.197 · not signed in',
      '/usr/bin/claude · no type uses it · Run: claude auth login',
    ],
    [
      'that it is experimental, also where it is not installed',
      { path: null, version: null, login: 'unknown', trouble: 'Install it.', isExperimental: true },
      'not installed · experimental',
      'Install it.',
    ],
    [
      'how to install it',
      { path: null, version: null, login: 'unknown', trouble: 'claude is not installed. Install it with: npm' },
      'not installed',
      'claude is not installed. Install it with: npm',
    ],
  ])('says %s', (_what, changes, description, detail) => {
    expect(engineRow({ ...found, ...changes }, plainEnglish)).toMatchObject({ description, detail });
  });
});

it('the next action is what the stream says can be done', () => {
  const first = (changes: Partial<WorkerSnapshot>): string | undefined =>
    nextActions(workerSnapshot(changes), plainEnglish)[0];
  expect(first({ engine: anEngineSnapshot({ asks: [anAsk()] }) })).toBe('Answer what it asks: it waits for you.');
  const failed = { state: 'failed', endedAt: START } as const;
  expect(first({ ...failed, exit: anExit({ class: 'auth', remedy: 'log in' }) })).toMatch(/^Sign in to the engine/);
  expect(first({ ...failed, exit: anExit({ class: 'config', remedy: 'raise limit' }) })).toMatch(/^Raise the limit/);
});
