import { describe, expect, it } from 'vitest';
import { feature, featuresSnapshot, heartbeat, task, worker } from '../../../../test/support/featureSnapshots';
import { fleetSnapshot, readerAfter, START } from '../../../../test/support/snapshots';
import type { FeatureSnapshot, FeaturesSnapshot, FeatureWorker } from '../../protocol/features/featureSnapshot';
import { indexNodes } from '../changedNodes';
import { needsCount } from '../needs';
import { tickInterval } from '../tickInterval';
import { toTree } from '../toTree';
import type { TreeNode } from '../treeNode';

function tree(features: FeaturesSnapshot, seconds = 0): readonly TreeNode[] {
  return toTree([{ ...fleetSnapshot([]), features }], readerAfter(seconds));
}

/** `label: description` of all rows that suit, from top to bottom. */
function rows(nodes: readonly TreeNode[], kind: TreeNode['kind']): readonly string[] {
  return [...indexNodes(nodes).values()]
    .filter((node) => node.kind === kind)
    .map(({ label, description }) => `${label}: ${description}`);
}

function rowsOf(kind: TreeNode['kind'], changes: Partial<FeatureSnapshot>, seconds = 0): readonly string[] {
  return rows(tree(featuresSnapshot([{ ...feature, ...changes }]), seconds), kind);
}

function workerRow(changes: Partial<FeatureWorker>, seconds = 0): string | undefined {
  return rowsOf('runWorker', { workers: [{ ...worker, ...changes }] }, seconds)[0];
}

function nodeOf(kind: TreeNode['kind'], changes: Partial<FeatureSnapshot>): TreeNode | undefined {
  const nodes = tree(featuresSnapshot([{ ...feature, ...changes }]));
  return [...indexNodes(nodes).values()].find((node) => node.kind === kind);
}

const STEPS = {
  ...heartbeat,
  currentStep: 3,
  totalSteps: 5,
  stepStates: ['completed', 'completed', 'in_progress', 'pending', 'pending'],
};

describe('feature runs in the tree', () => {
  it('are no group where there is nothing', () => {
    expect(tree(featuresSnapshot([]))).toEqual([]);
  });

  it('stand side by side: what is under way, what is to come, what is done', () => {
    const named = (name: string, phase: FeatureSnapshot['phase']): FeatureSnapshot => ({
      ...feature,
      feature: name,
      phase,
    });
    const all = [named('a', 'complete'), named('b', 'designed'), named('c', 'executing'), named('d', 'orphaned')];
    expect(rows(tree(featuresSnapshot(all)), 'feature')).toEqual([
      'c: 25% · level 1/2 · 1/4 tasks',
      'd: 25% orphaned · level 1/2 · 1/4 tasks',
      'b: designed, not started · 4 tasks',
      'a: 1/4 tasks · complete',
    ]);
  });

  it('show levels with their counts, and say only what the icon does not', () => {
    expect(rowsOf('level', {})).toEqual(['Level 1 foundation: 1/3 running', 'Level 2: 0/1']);
  });

  it('never show a figure for what cannot be read', () => {
    const levels = feature.levels.map((level) => ({ ...level, complete: null, status: 'unknown' as const }));
    const unreadable = { phase: 'unreadable' as const, percent: null, levels };
    expect(rowsOf('feature', unreadable)).toEqual(['auth: cannot be read']);
    expect(rowsOf('level', unreadable)[0]).toBe('Level 1 foundation: ?/3 cannot be read');
  });

  it('have another row once a design begins to run, so that it opens by itself', () => {
    expect(nodeOf('feature', { phase: 'designed' })?.id).not.toBe(nodeOf('feature', {})?.id);
    expect(nodeOf('feature', {})?.expand).toBe('expanded');
    expect(nodeOf('feature', { phase: 'complete' })?.id).toBe(nodeOf('feature', {})?.id);
  });

  it('put tasks that somebody works on, or that broke, above the others of their level', () => {
    const tasks = [
      { ...task, id: 'A-1', status: 'complete' },
      { ...task, id: 'A-2', status: 'pending', worker: null },
      { ...task, id: 'A-3', status: 'failed', error: 'exit 1' },
      { ...task, id: 'A-4', status: 'verifying' },
      { ...task, id: 'A-5', status: 'waiting_retry', nextRetryAt: START + 21_000 },
    ];
    expect(rowsOf('task', { tasks, workers: [] })).toEqual([
      'A-3: failed · W0 · exit 1',
      'A-4: verifying · W0 · Define types',
      'A-5: retries in 21 s · W0 · Define types',
      'A-1: complete · W0 · Define types',
      'A-2: pending · Define types',
    ]);
  });

  it('tell what belongs to no feature, and a project-wide table as such', () => {
    const projectProgress = { path: '.gsd/tasks/PROGRESS.md', complete: 32, total: 32 };
    const nodes = tree(
      featuresSnapshot([], { projectProgress, unattributedHeartbeats: ['.zerg/heartbeat-7.json'], diagnostics: ['x'] }),
    );
    expect(rows(nodes, 'fact')).toEqual([
      '.gsd/tasks/PROGRESS.md: 32/32 tasks · the whole project, not one feature',
      'x: ',
      '.zerg/heartbeat-7.json belongs to no feature that is known here: ',
    ]);
  });
});

describe('the row of a worker of a run', () => {
  it('has its percentage, its steps and its task', () => {
    expect(workerRow({ heartbeat: STEPS })).toBe('W0: 60% [3/5: ✅✅🔄⏳⏳] · A-1');
    expect(workerRow({})).toBe('W0: 60% implementing · A-1');
    expect(workerRow({ status: 'checkpointing' })).toBe('W0: 60% implementing · checkpointing · A-1');
    expect(workerRow({ status: 'idle', currentTask: null })).toBe('W0: idle');
  });

  it('says when it was last seen, and that ages though no file changes', () => {
    const late = { liveness: 'late' as const, heartbeat: { ...heartbeat, at: START - 45_000, ageSeconds: 45 } };
    expect(workerRow(late)).toBe('W0: last seen 45 s ago · A-1');
    expect(workerRow(late, 7)).toBe('W0: last seen 52 s ago · A-1');
  });

  it('names the tasks that it left, and a loop of starts', () => {
    const gone = {
      tasks: [{ ...task, stranded: true }],
      workers: [{ ...worker, status: 'crashed', liveness: 'crashed' as const, processGone: true, respawning: true }],
    };
    expect(rowsOf('runWorker', gone)).toEqual([
      'W0: starts again and again · its process is gone · 2 tasks done · stranded A-1',
    ]);
  });

  it('says each word once to who hears it', () => {
    const crashed = { ...worker, status: 'crashed', liveness: 'crashed' as const, tasksCompleted: 0 };
    expect(nodeOf('runWorker', { workers: [crashed], tasks: [] })?.accessibleLabel).toBe('W0, crashed');
    expect(nodeOf('runWorker', {})?.accessibleLabel).toBe('W0, running, active, 60% implementing, A-1');
    expect(nodeOf('feature', { phase: 'paused' })?.accessibleLabel).toBe('auth, 25% paused, level 1/2, 1/4 tasks');
    expect(nodeOf('level', {})?.accessibleLabel).toBe('Level 1 foundation, 1/3 running');
  });
});

describe('ages of feature runs', () => {
  it('go on slowly, so that a row stays still long enough for its tooltip, and quickly for a countdown', () => {
    const interval = (changes: Partial<FeatureSnapshot>): number | null =>
      tickInterval([{ ...fleetSnapshot([]), features: featuresSnapshot([{ ...feature, ...changes }]) }]);
    expect(interval({})).toBeNull();
    expect(interval({ workers: [{ ...worker, liveness: 'late' }] })).toBe(5_000);
    expect(interval({ tasks: [{ ...task, status: 'waiting_retry', nextRetryAt: START + 1 }] })).toBe(1_000);
  });
});

describe('what a feature run needs a person for', () => {
  const call = { worker: 1, task: 'A-2', category: 'ambiguous_spec', message: 'Which errors?', at: START };
  const open = { ...call, resolved: false };
  const nodes = tree(
    featuresSnapshot([{ ...feature, error: 'Merge failed', escalations: [open, { ...call, resolved: true }] }], {
      unattributedEscalations: [{ ...open, worker: 7 }],
    }),
  );

  it('stands in Needs you and is counted, what is settled does not', () => {
    expect(rows(nodes, 'runNeed')).toEqual([
      'auth: error: Merge failed',
      'W1 asks for help: Which errors? · A-2',
      'W7 asks for help: Which errors? · A-2',
    ]);
  });

  it('says of a run that cannot be read which file is damaged, and what to do', () => {
    const shown = tree(featuresSnapshot([{ ...feature, phase: 'unreadable' }]));
    expect(rows(shown, 'runNeed')).toEqual([
      'auth unreadable: .zerg/state/auth.json is damaged: restore it, or let the run write it anew.',
    ]);
  });

  it('can be put away by its id, which stays the same', () => {
    const shown = { ...fleetSnapshot([]), features: featuresSnapshot([{ ...feature, escalations: [open] }]) };
    const [need] = [...indexNodes(toTree([shown], readerAfter(0))).values()].filter(({ kind }) => kind === 'runNeed');
    expect(needsCount([shown])).toBe(1);
    expect(needsCount([{ ...shown, dismissed: new Set([need?.run?.need ?? '']) }])).toBe(0);
  });
});
