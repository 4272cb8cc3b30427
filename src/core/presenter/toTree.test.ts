import { describe, expect, it } from 'vitest';
import { fleetSnapshot, readerAfter, START, workerSnapshot } from '../../../test/support/snapshots';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { protocolTypes } from '../protocol/workers/protocolTypes';
import type { WorkerType } from '../protocol/workers/workerType';
import { changedNodes, indexNodes } from './changedNodes';
import { needsCount } from './needs';
import { tickInterval } from './tickInterval';
import { toStatusBar } from './toStatusBar';
import { toTree } from './toTree';
import { toTypesTree } from './toTypesTree';
import type { TreeNode } from './treeNode';

const reader = readerAfter(10);

function worker(type: string, changes: Partial<WorkerSnapshot> = {}): WorkerSnapshot {
  return workerSnapshot({ type, ...changes });
}

function outline(nodes: readonly TreeNode[], depth = 0): readonly string[] {
  return nodes.flatMap((node) => {
    const line = `${'  '.repeat(depth)}${[node.label, node.description].filter((part) => part !== '').join(' ')}`;
    return node.kind === 'worker' ? [line] : [line, ...outline(node.children, depth + 1)];
  });
}

const running = worker('consolidate');
const done = worker('health-check', { state: 'completed', startedAt: START + 60_000, endedAt: START + 61_000 });
const failed = worker('export-brain', {
  state: 'failed',
  startedAt: START - 60_000,
  endedAt: START,
  attention: { kind: 'failed', text: 'failed' },
});

describe('the tree', () => {
  it('puts what needs a person first, what runs next, and folds what is done', () => {
    expect(outline(toTree([fleetSnapshot([done, running, failed])], reader))).toEqual([
      'Needs you 1',
      '  export-brain failed failed · 14:30',
      'Background workers 1/3',
      '  consolidate running · 10 s',
      '  export-brain failed · 14:30',
      '  Done 1',
      '    health-check completed · 1 s',
    ]);
  });

  it('has no group without something in it', () => {
    expect(toTree([fleetSnapshot([])], reader)).toEqual([]);
    expect(toTree([], reader)).toEqual([]);
    expect(outline(toTree([fleetSnapshot([running])], reader))).toEqual([
      'Background workers 1/3',
      '  consolidate running · 10 s',
    ]);
  });

  it('keeps Done folded and the other groups open', () => {
    const nodes = indexNodes(toTree([fleetSnapshot([done, running, failed])], reader));
    expect(nodes.get('/project#done')?.expand).toBe('collapsed');
    expect(nodes.get('/project#needs')?.expand).toBe('expanded');
  });

  it('tells of troubles that belong to no worker', () => {
    const problems = [{ code: 'registry-corrupt', message: 'registry.json was moved aside' }] as const;
    expect(outline(toTree([fleetSnapshot([], { problems })], reader))).toEqual([
      'Needs you 1',
      '  Workers folder registry.json was moved aside',
    ]);
  });

  it('shows a blown fuse of the project as it shows that of a worker, the oldest first, and counts both', () => {
    const blown = { fuse: 'wall time', limit: 30, at: '2026-03-01T14:31:00.000Z' } as const;
    const stopped = worker('nightly', {
      state: 'stopped',
      endedAt: START + 20_000,
      attention: { kind: 'fuse', text: 'wall time: 30 min' },
      fuses: { limits: { minutes: 30, memoryMB: null }, blown, peakBytes: null },
    });
    const logs = {
      name: 'logs',
      limitMB: 10,
      measuredMB: 11,
      since: START,
      biggest: [{ of: 'pm', bytes: 5 * 1024 ** 2 }],
    } as const;
    const disk = { ...logs, name: 'disk', limitMB: 64, measuredMB: 12, since: START + 30_000, biggest: [] } as const;
    const snapshot = fleetSnapshot([stopped], { fuses: [logs, disk] });
    const [needs] = toTree([snapshot], reader);
    expect(outline(needs?.children ?? [])).toEqual([
      'All logs: fuse blown total logs: 10 MB (11 MB now, most of it pm 5 MB)',
      'nightly: fuse blown wall time: 30 min',
      'Disk: fuse blown free disk: 64 MB (12 MB are free)',
    ]);
    expect(needs?.children.map(({ contextValue }) => contextValue)).toEqual([
      'fuse.logs',
      'need.stopped.owned.fuse',
      'fuse.disk',
    ]);
    expect(needsCount([snapshot])).toBe(3);
    expect(toStatusBar([snapshot], reader)?.text).toBe('$(bell-dot) 3');
  });

  it('shows below a worker its progress, outputs, log and evidence', () => {
    const full = worker('consolidate', {
      progress: { phase: 'scanning researches', items_processed: 3, total_items: 7 },
      outputs: ['patterns.json'],
      evidence: [{ source: 'keeper', says: 'alive', at: reader.now }],
    });
    const row = indexNodes(toTree([fleetSnapshot([full])], reader)).get(`/project#worker/${full.workerId}`);
    expect(outline(row?.children ?? [])).toEqual([
      'Progress 3/7 scanning researches',
      'Output 1',
      '  patterns.json',
      'Log',
      'Evidence',
      '  keeper alive · 0 s ago',
    ]);
    expect(row?.children[1]?.children[0]?.file).toBe(`${full.folder}/output/patterns.json`);
  });

  it('groups by folder where there are several roots, with ids that stay apart', () => {
    const tree = toTree([fleetSnapshot([running]), fleetSnapshot([running], { root: '/other' })], reader);
    expect(tree.map((node) => node.label)).toEqual(['project', 'other']);
    expect(indexNodes(tree).get(`/other#worker/${running.workerId}`)?.root).toBe('/other');
  });

  it('gives every node its own id and something to say aloud', () => {
    const tree = toTree([fleetSnapshot([done, running, failed])], reader);
    const count = (nodes: readonly TreeNode[]): number =>
      nodes.reduce((sum, node) => sum + 1 + count(node.children), 0);
    expect(indexNodes(tree).size).toBe(count(tree));
    expect([...indexNodes(tree).values()].every((node) => node.accessibleLabel !== '')).toBe(true);
  });
});

describe('a change of the tree', () => {
  const treeAt = (seconds: number, ...workers: WorkerSnapshot[]): readonly TreeNode[] =>
    toTree([fleetSnapshot(workers)], readerAfter(seconds));

  it('is nothing when nothing changed', () => {
    expect(changedNodes(treeAt(10, running, done), treeAt(10, running, done))).toEqual([]);
  });

  it('is the ticking rows alone when only time passed', () => {
    expect(changedNodes(treeAt(10, running, done), treeAt(15, running, done))).toEqual([
      `/project#worker/${running.workerId}`,
    ]);
  });

  it('is the group when a row joined it', () => {
    expect(changedNodes(treeAt(10, running), treeAt(10, running, done))).toEqual(['/project#workers']);
  });

  it('is everything when a group came', () => {
    expect(changedNodes(treeAt(10, running), treeAt(10, running, failed))).toBe('all');
  });
});

describe('the types view', () => {
  it('shows each type with its model, then what it does', () => {
    const type: WorkerType = {
      name: 'health-check',
      description: 'Verify skill trust tiers',
      model: 'haiku',
      template: 'health-check.md',
      mayWrite: [],
      command: null,
      engine: 'auto',
      env: {},
      graceSeconds: null,
      source: 'protocol',
    };
    const command = { ...type, name: 'nightly-tests', model: 'none', command: ['npm', 'test'] };
    const types = [type, command];
    expect(outline(toTypesTree([{ root: '/project', types, schedules: [] }], reader))).toEqual([
      'health-check haiku · Verify skill trust tiers',
      'nightly-tests Verify skill trust tiers',
    ]);
  });

  const nextAt = START + 3_600_000;
  it.each([
    ['when it starts next', {}, 'next 2026-03-01 15:30', '2026-03-01 15:30'],
    ['that it waits for a slot', { waiting: true }, 'due, waits for a free slot', '2026-03-01 15:30'],
    ['that nobody leads', { active: false }, 'schedule rests: nobody leads', 'Nothing starts by itself'],
    ['that it never comes', { nextAt: null }, 'schedule never comes', null],
  ])('says of a scheduled type %s', (_title, changes, words, next) => {
    const schedule = { type: 'health-check', cron: '@hourly', nextAt, lastAt: START, active: true, waiting: false };
    const types = protocolTypes.filter(({ name }) => name === 'health-check');
    const [row] = toTypesTree([{ root: '/project', types, schedules: [{ ...schedule, ...changes }] }], reader);
    expect(row?.description.split(' · ').at(-1)).toBe(words);
    const tooltip = row?.tooltip?.replaceAll('\\', '') ?? '';
    expect(tooltip).toContain('@hourly');
    expect(tooltip).toContain('| Last scheduled start | 2026-03-01 14:30 |');
    expect(tooltip.includes('Next start')).toBe(next !== null);
    expect(tooltip).toContain(next ?? '');
  });
});

describe('the status bar', () => {
  const textOf = (...workers: WorkerSnapshot[]): string | undefined =>
    toStatusBar([fleetSnapshot(workers)], reader)?.text;

  it('is hidden while there is nothing to say', () => {
    expect(toStatusBar([fleetSnapshot([done])], reader)).toBeNull();
    expect(toStatusBar([], reader)).toBeNull();
  });

  it('counts what is active against the limit', () => {
    expect(textOf(running, done)).toBe('$(pulse) 1/3 workers');
  });

  it('spins only while something starts', () => {
    expect(textOf(worker('consolidate', { state: 'starting' }))).toBe('$(loading~spin) 1/3 workers');
  });

  it('rings and warns only when something needs a person', () => {
    const view = toStatusBar([fleetSnapshot([running, failed])], reader);
    expect(view?.text).toBe('$(pulse) 1/3 workers  $(bell-dot) 1');
    expect(view?.warning).toBe(true);
    expect(view?.accessibleLabel).toBe('1 of 3 workers active, 1 need you');
    expect(toStatusBar([fleetSnapshot([running])], reader)?.warning).toBe(false);
    expect(textOf(failed)).toBe('$(bell-dot) 1');
  });
});

describe('ages', () => {
  it('tick quickly for short-lived states, slowly for running ones, and not at all for ended ones', () => {
    const interval = (...workers: WorkerSnapshot[]): number | null => tickInterval([fleetSnapshot(workers)]);
    expect(interval(running, worker('x', { state: 'stopping' }))).toBe(1_000);
    expect(interval(worker('x', { state: 'backoff' }))).toBe(1_000);
    expect(interval(running)).toBe(5_000);
    expect(interval(done, failed)).toBeNull();
  });
});
