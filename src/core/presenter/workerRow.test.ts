import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetSnapshot, readerAfter, START, workerSnapshot } from '../../../test/support/snapshots';
import type { ExitRecord } from '../protocol/keeper/exitRecord';
import type { WorkerHealth, WorkerStateKind } from '../protocol/snapshot';
import { toTree } from './toTree';
import { toRow } from './workerRow';
import { workerLabels } from './workerLabels';
import { workerTooltip } from './workerTooltip';

const reader = readerAfter(134);

function rowOf(changes: Parameters<typeof workerSnapshot>[0]): string {
  const row = toRow(workerSnapshot(changes), 'health-check', reader);
  return `${row.icon.name} ${row.icon.color ?? '-'} | ${row.description}`;
}

function exit(changes: Partial<ExitRecord>): ExitRecord {
  return {
    code: null,
    signal: null,
    at: '2026-03-01T14:31:00.000Z',
    class: 'crash',
    requestedBy: null,
    forced: false,
    ...changes,
  };
}

const endedAt = START + 62_000;
const progress = { phase: 'scanning researches', items_processed: 3, total_items: 7 };

describe('a row shows', () => {
  it.each([
    ['starting with its age', { state: 'starting' }, 'loading~spin - | starting · 2m 14s'],
    ['progress, number first', { progress }, 'play-circle charts.green | 3/7 scanning · 2m 14s'],
    [
      'a count without a total',
      { progress: { ...progress, total_items: null } },
      'play-circle charts.green | 3 scanning · 2m 14s',
    ],
    [
      'a phase without a count',
      { progress: { ...progress, items_processed: 0, total_items: null } },
      'play-circle charts.green | scanning · 2m 14s',
    ],
    ['that it runs when it has not said how far', {}, 'play-circle charts.green | running · 2m 14s'],
    [
      'when a late one was last seen',
      { health: 'late', lastSeenAt: reader.now - 45_000 },
      'watch list.warningForeground | last seen 45 s ago',
    ],
    [
      'a stale one with another shape than a late one',
      { health: 'stale', lastSeenAt: START },
      'warning list.warningForeground | last seen 2m 14s ago',
    ],
    ['a flood of output', { health: 'flooding' }, 'warning list.warningForeground | flooding its log · 2m 14s'],
    [
      'the question of one that asks, whatever its state',
      { attention: { kind: 'permission', text: 'may it run npm test?' } },
      'bell-dot list.warningForeground | asks: may it run npm test?',
    ],
    [
      'why it cannot be read',
      { state: 'unknown', problem: 'status.json is larger than 64 KiB' },
      'bell-dot list.warningForeground | status.json is larger than 64 KiB',
    ],
    [
      'how long ago it was asked to stop',
      {
        state: 'stopping',
        stop: { requestedBy: 'vscode', at: '2026-03-01T14:32:28.000Z', steps: [], finished: false },
      },
      'stop-circle list.warningForeground | stopping · asked 8 s ago',
    ],
    [
      'the stop flag of a worker that is not ours',
      { state: 'stopping', owned: false, evidence: [{ source: 'stop flag', says: 'stop requested', at: START }] },
      'stop-circle list.warningForeground | stopping · asked 2m 14s ago',
    ],
    [
      'when its retry comes, and which one it is',
      { state: 'backoff', nextStartAt: reader.now + 18_900 },
      'history list.warningForeground | restarts in 18 s (1 of 2)',
    ],
    [
      'that its retry is due and waits for a slot or a leader',
      { state: 'backoff', nextStartAt: reader.now - 1 },
      'history list.warningForeground | waits to restart (1 of 2)',
    ],
    ['that it is parked', { state: 'parked' }, 'debug-pause charts.blue | rate limit is over, goes on soon'],
    [
      'the checks of a completed health-check and how long it took',
      { state: 'completed', endedAt, progress: { phase: 'completed', items_processed: 6, total_items: null } },
      'pass testing.iconPassed | 6/6 checks · 1m 02s',
    ],
    [
      'what another type completed',
      { state: 'completed', type: 'consolidate', endedAt, progress: { ...progress, items_processed: 7 } },
      'pass testing.iconPassed | 7/7 · 1m 02s',
    ],
    ['a completion without numbers', { state: 'completed', endedAt }, 'pass testing.iconPassed | completed · 1m 02s'],
    [
      'the cause of a failure with its exit code and time',
      { state: 'failed', endedAt, error: 'disk full', exit: exit({ code: 3 }) },
      'error testing.iconFailed | disk full (exit 3) · 14:31',
    ],
    [
      'the class of an exit before a long error text',
      { state: 'failed', endedAt, error: 'x'.repeat(80), exit: exit({ signal: 'SIGKILL', class: 'out of memory' }) },
      'error testing.iconFailed | out of memory (SIGKILL) · 14:31',
    ],
    [
      'a failure that only status.json tells of',
      { state: 'failed', error: 'x'.repeat(80) },
      'error testing.iconFailed | failed',
    ],
    [
      'a failure that waits for a person in the same words',
      {
        state: 'failed',
        endedAt,
        attention: { kind: 'failed', text: 'exit 3' },
        exit: exit({ code: 3 }),
      },
      'error testing.iconFailed | crashed (exit 3) · 14:31',
    ],
    [
      'who stopped it here',
      { state: 'stopped', endedAt, exit: exit({ requestedBy: 'vscode' }) },
      'circle-slash disabledForeground | stopped by you · 14:31',
    ],
    [
      'who stopped it elsewhere',
      { state: 'stopped', endedAt, exit: exit({ requestedBy: 'cli' }) },
      'circle-slash disabledForeground | stopped by cli · 14:31',
    ],
    ['that nobody knows', { state: 'unknown' }, 'question list.warningForeground | no sign of life, no exit seen'],
  ] as const)('%s', (_claim, changes, expected) => {
    expect(rowOf(changes)).toBe(expected);
  });
});

describe('a row', () => {
  it('carries state, ownership and outputs for menus', () => {
    expect(toRow(workerSnapshot(), 'x', reader).contextValue).toBe('worker.running.owned');
    const foreign = workerSnapshot({ state: 'completed', owned: false, outputs: ['a.json'] });
    expect(toRow(foreign, 'x', reader).contextValue).toBe('worker.completed.foreign.outputs');
    const failed = workerSnapshot({ state: 'failed', canRetry: true, outputs: ['a.json'] });
    expect(toRow(failed, 'x', reader).contextValue).toBe('worker.failed.owned.retry.outputs');
    const proposal = workerSnapshot({
      type: 'consolidate',
      state: 'completed',
      outputs: ['harvest-delta.md', 'patterns.json'],
    });
    expect(toRow(proposal, 'x', reader).contextValue).toBe('worker.completed.owned.harvest.outputs');
    expect(toRow({ ...proposal, state: 'running' }, 'x', reader).contextValue).toBe('worker.running.owned.outputs');
  });

  it('says its state aloud once', () => {
    const said = (changes: Parameters<typeof workerSnapshot>[0]): string =>
      toRow(workerSnapshot(changes), 'health-check', reader).accessibleLabel;
    expect(said({ progress })).toBe('health-check, running, 3/7 scanning, 2m 14s');
    expect(said({ state: 'starting' })).toBe('health-check, starting, 2m 14s');
  });

  it('has a shape of its own in every state, so that colour is never the only sign', () => {
    const states: WorkerStateKind[] = [
      'starting',
      'running',
      'stopping',
      'backoff',
      'parked',
      'completed',
      'failed',
      'stopped',
      'unknown',
    ];
    const shapes = states.map((state) => toRow(workerSnapshot({ state }), 'x', reader).icon.name);
    expect(new Set(shapes).size).toBe(states.length);
  });

  it('is one clean line whatever a worker writes', () => {
    const health = fc.constantFrom<WorkerHealth>('ok', 'late', 'silent', 'stale', 'flooding');
    const state = fc.constantFrom<WorkerStateKind>('running', 'failed', 'completed', 'stopped', 'unknown');
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(health, state, text, fc.integer(), (anyHealth, anyState, anyText, number) => {
        const worker = workerSnapshot({
          health: anyHealth,
          state: anyState,
          error: anyText,
          progress: { phase: anyText, items_processed: number, total_items: number },
          attention: { kind: 'question', text: anyText },
        });
        const { description } = toRow(worker, 'x', reader);
        expect(description).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect([...description].length).toBeLessThan(260);
      }),
    );
  });
});

describe('a label', () => {
  const later = (seconds: number, type = 'health-check'): ReturnType<typeof workerSnapshot> =>
    workerSnapshot({ workerId: `wkr-${seconds}-${type}`, type, startedAt: START + seconds * 1_000 });
  const labels = (...workers: ReturnType<typeof workerSnapshot>[]): readonly string[] => [
    ...workerLabels(fleetSnapshot(workers).workers, reader).values(),
  ];

  it('is the type alone while no other looks the same', () => {
    expect(labels(later(0), later(1, 'consolidate'))).toEqual(['health-check', 'consolidate']);
  });

  it('gets the start time where two would look the same', () => {
    expect(labels(later(0), later(300))).toEqual(['health-check 14:30', 'health-check 14:35']);
  });

  it('gets the second where even the minute is the same', () => {
    expect(labels(later(0), later(9))).toEqual(['health-check 14:30:22', 'health-check 14:30:31']);
  });
});

describe('a tooltip', () => {
  it('shows where the registry and the process disagree', () => {
    expect(workerTooltip(workerSnapshot({ status: 'completed' }), null, reader)).toContain(
      String.raw`running \(registry says completed\)`,
    );
  });

  it('tells what each source says and how old that is', () => {
    const evidence = [{ source: 'keeper', says: 'process 4711 is alive', at: reader.now - 3_000 }] as const;
    expect(workerTooltip(workerSnapshot({ evidence }), 'checked skills', reader)).toMatchInlineSnapshot(`
      "| | |
      |:--|:--|
      | ID | wkr\\-20260301\\-143022\\-health\\-check |
      | State | running |
      | Model | haiku |
      | Started | 14\\:30\\:22 |
      | Process | 4711 |
      | keeper | process 4711 is alive · 3 s ago |
      | Last log line | checked skills |"
    `);
  });

  it('lets no letter of a file act as Markdown', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const table = workerTooltip(workerSnapshot({ error: text }), text, reader);
        const cells = table
          .split('\n')
          .slice(2)
          .map((line) => line.slice(2, -2).replace(' | ', ''));
        for (const cell of cells) {
          expect(cell.replace(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[!-/:-@[-`{-~]/);
        }
      }),
    );
  });
});

describe('a worker during whose run protected files changed', () => {
  const violations = [{ path: 'CLAUDE.md', change: 'changed', at: '2026-03-01T14:31:00.000Z' }] as const;
  const worker = workerSnapshot({
    state: 'completed',
    outputs: ['report.json'],
    isolation: { level: 'audit', note: null, violations },
    attention: { kind: 'violation', text: 'changed CLAUDE.md during the run' },
  });

  it('says so on its row and offers the review, also among what needs a person', () => {
    const row = toRow(worker, 'health-check', readerAfter(60));
    expect(row).toMatchObject({
      description: 'changed CLAUDE.md during the run',
      contextValue: 'worker.completed.owned.violation.outputs',
      icon: { name: 'bell-dot' },
    });
    const [needs] = toTree([fleetSnapshot([worker])], readerAfter(60));
    expect(needs?.children[0]).toMatchObject({
      label: 'health-check: protected files changed',
      contextValue: 'need.completed.owned.violation.outputs',
    });
  });
});
