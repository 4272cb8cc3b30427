import { describe, expect, it } from 'vitest';
import { feature, featuresSnapshot, heartbeat, task, worker } from '../../../../test/support/featureSnapshots';
import { START } from '../../../../test/support/snapshots';
import type { FeatureSnapshot, FeatureTask, FeatureWorker } from '../../protocol/features/featureSnapshot';
import { featureDashboard, projectProgressLine, unattributedLines } from './featureDashboard';
import { taskTable, workerTable } from './featureTables';
import { stepGlyphs, stepProgress } from './stepGlyphs';
import { workerSeen } from './workerSeen';

function dashboard(change: Partial<FeatureSnapshot>): readonly string[] {
  return featureDashboard('shop', { ...feature, ...change });
}

describe('the dashboard of a feature', () => {
  it('has a project line, a progress line, a bar per level and a line per worker', () => {
    expect(dashboard({})).toEqual([
      'Project: shop · Feature: auth · executing (subprocess)',
      'Level 1/2 | Tasks: 1/4 (25%) | Workers: 1/1 active',
      '  L1 foundation    ██████░░░░░░░░░░░░░░ 1/3 running',
      '  L2               ░░░░░░░░░░░░░░░░░░░░ 0/1 pending',
      '  W0 running · A-1 · implementing 60% · 4 s ago',
    ]);
  });

  it('shows no figure where nothing can be read', () => {
    const levels = feature.levels.map((level) => ({
      ...level,
      complete: null,
      failed: null,
      status: 'unknown' as const,
    }));
    const lines = dashboard({
      phase: 'unreadable',
      percent: null,
      byStatus: { unknown: 4 },
      currentLevel: null,
      levels,
    });
    expect(lines.slice(0, 3)).toEqual([
      'Project: shop · Feature: auth · unreadable (subprocess)',
      'Level ?/2 | Tasks: ?/4 (?) | Workers: 1/1 active',
      '  L1 foundation    ???????????????????? ?/3 unknown',
    ]);
  });

  it('names what needs a person: errors, stranded tasks, failures, calls for help', () => {
    const lines = dashboard({
      error: 'Merge conflict\u001B[31m in src/auth.ts',
      tasks: [
        { ...task, stranded: true },
        { ...task, id: 'A-2', worker: 9, stranded: true },
        { ...task, id: 'A-3', status: 'failed', error: 'no disk' },
      ],
      workers: [{ ...worker, liveness: 'stale', heartbeat: { ...heartbeat, ageSeconds: 200 } }],
      escalations: [
        { worker: 2, task: 'A-3', category: 'ambiguous_spec', message: 'which one?', at: 0, resolved: false },
        { worker: 2, task: 'A-3', category: 'old', message: 'done', at: 0, resolved: true },
      ],
    });
    expect(lines.slice(4)).toEqual([
      '  W0 running, stale · A-1 · implementing 60% · last seen 3m 20s ago · stranded: A-1',
      '  ! Merge conflict in src/auth.ts',
      '  ! A-2 is stranded: nobody works on it',
      '  ! A-3 failed: no disk',
      '  ! W2 A-3 asks for help (ambiguous_spec): which one?',
    ]);
  });

  it('names the first of many failed and lost tasks and counts the others', () => {
    const many = (count: number, change: Partial<FeatureTask>): readonly FeatureTask[] =>
      Array.from({ length: count }, (_, at) => ({ ...task, id: `T-${String(at)}`, ...change }));
    const lines = dashboard({
      tasks: [...many(2_000, { status: 'failed' }), ...many(21, { worker: 9, stranded: true })],
    });
    expect(lines).toHaveLength(5 + 2 * 21);
    expect(lines).toContain('  ! T-19 failed');
    expect(lines.slice(-1)).toEqual(['  ! 1980 more tasks are failed']);
    expect(lines).toContain('  ! 1 more tasks are stranded');
  });

  it('names the first of many tasks that one worker left, however their file writes its id', () => {
    const tasks = Array.from({ length: 3_000 }, (_, at) => ({
      ...task,
      id: `T-${String(at)}`,
      worker: at === 0 ? '00' : '0',
      stranded: true,
    }));
    const lines = dashboard({ tasks, workers: [{ ...worker, liveness: 'crashed' }] });
    expect(lines.slice(4)).toEqual([
      '  W0 running · A-1 · implementing 60% · stranded: T-0, T-1, T-2, T-3, T-4, T-5, T-6, T-7, T-8, T-9 and 2990 more',
    ]);
  });

  it('does not count to a level that no task tells of', () => {
    const [level] = feature.levels;
    expect(dashboard({ currentLevel: 3, levels: [] })[1]).toMatch(/^Level 3\/\? /);
    expect(dashboard({ currentLevel: null, levels: [] })[1]).toMatch(/^Level 0\/0 /);
    expect(dashboard({ currentLevel: 5, levels: level === undefined ? [] : [{ ...level, level: 5 }] })[1]).toMatch(
      /^Level 5\/5 /,
    );
  });

  it('leaves out nothing that belongs to no single feature', () => {
    const call = { worker: null, task: null, category: 'late', message: 'hm', at: null };
    const lines = unattributedLines(
      featuresSnapshot([], {
        unattributedHeartbeats: ['.zerg/heartbeat-7.json'],
        unattributedEscalations: [
          { ...call, resolved: false },
          { ...call, worker: 7, resolved: true },
        ],
      }),
    );
    expect(lines).toEqual([
      '  ! somebody asks for help (late): hm',
      '  ? .zerg/heartbeat-7.json belongs to no feature that is known here',
    ]);
  });

  it('says of a project-wide table that it is one', () => {
    expect(projectProgressLine({ path: 'PROGRESS.md', complete: 32, total: 32 })).toBe(
      'PROGRESS.md: 32/32 done (the whole project, not one feature)',
    );
  });
});

describe('the steps of a task', () => {
  it('are a count and a glyph each, in the words of the tool', () => {
    const stepStates = ['completed', 'completed', 'in_progress', 'pending', 'failed', 'strange'];
    expect(stepGlyphs({ ...heartbeat, currentStep: 3, totalSteps: 6, stepStates })).toBe('[3/6: ✅✅🔄⏳❌❔]');
    expect(stepGlyphs({ ...heartbeat, currentStep: 3, totalSteps: 6 })).toBe('[3/6]');
    expect(stepGlyphs(heartbeat)).toBeNull();
    expect(stepProgress(null)).toBe('');
  });
});

describe('when a worker was seen', () => {
  const cases: readonly (readonly [Partial<FeatureWorker>, string])[] = [
    [{}, '4 s ago'],
    [{ liveness: 'late', heartbeat: { ...heartbeat, ageSeconds: 45 } }, 'last seen 45 s ago'],
    [{ liveness: 'silent', heartbeat: null, lastActivityAgeSeconds: 862 }, 'silent for 14m 22s'],
    [{ liveness: 'no-heartbeat', heartbeat: null }, 'no heartbeat, active 1m 30s ago'],
    [{ liveness: 'no-heartbeat', heartbeat: null, lastActivityAgeSeconds: null }, 'no heartbeat'],
    [{ liveness: 'stopped' }, ''],
    [{ liveness: 'crashed' }, ''],
    [{ liveness: 'crashed', processGone: true }, 'its process is gone'],
    [
      { liveness: 'crashed', containerEnd: { exitCode: 137, oomKilled: true, unhealthy: true } },
      'its container ran out of memory (exit 137)',
    ],
    [
      { liveness: 'crashed', containerEnd: { exitCode: 0, oomKilled: false, unhealthy: true } },
      'the process in its container is gone',
    ],
    [
      { liveness: 'crashed', containerEnd: { exitCode: 3, oomKilled: false, unhealthy: true } },
      'its container exited (exit 3)',
    ],
  ];

  it.each(cases)('with %j is told as %j', (change, words) => {
    expect(workerSeen({ ...worker, ...change })).toBe(words);
  });
});

describe('the tables of a feature', () => {
  it('give a row to each task and worker', () => {
    expect(taskTable({ ...feature, tasks: [{ ...task, retryCount: 2 }] })[1]).toBe(
      'A-1           in_progress    1      W0      implementing 60%  2        Define types',
    );
    const lastCommit = { hash: '1a2b3c4', subject: 'ZERG [0]: Types', at: START - 200_000, ageSeconds: 200 };
    const workers = [worker, { ...worker, id: 1, lastCommit }];
    const rows = workerTable({ ...feature, workers });
    expect(rows[1]).toMatch(/^W0 +running +A-1 +implementing 60% +2 +72% +5400 +— +— +— +4 s ago$/);
    expect(rows[2]).toMatch(/ — +— +1a2b3c4 3m 20s ago +4 s ago$/);
  });
});
