import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type {
  FeatureSnapshot,
  FeaturesSnapshot,
  FeatureWorker,
} from '../../src/core/protocol/features/featureSnapshot';
import { filesAlone } from '../../src/core/protocol/features/liveEvidence';
import { FeatureReader } from '../../src/core/readers/features/featureReader';
import { runProcesses } from '../../src/core/readers/features/runProcesses';
import { lookAtFeatures, readerOf } from '../support/lookAtFeatures';
import { addFiles, tempProject } from '../support/tempProject';

const NOW = '2026-02-14T17:30:00Z';

/** An instant `age` seconds before the look. */
function ago(age: number): string {
  return new Date(Date.parse(NOW) - age * 1000).toISOString();
}

function graph(...ids: readonly string[]): string {
  const tasks = ids.map((id) => ({ id, title: `Do ${id}`, level: id.includes('L2') ? 2 : 1 }));
  return JSON.stringify({ tasks, levels: { 1: { name: 'foundation', tasks: ids } } });
}

function heartbeat(id: number | string, task: string | null, age: number): string {
  return JSON.stringify({ worker_id: id, task_id: task, timestamp: ago(age), step: 'implementing' });
}

interface StateText {
  readonly tasks?: Readonly<Record<string, object>>;
  readonly workers?: Readonly<Record<string, object>>;
  readonly execution_log?: readonly object[];
  readonly [key: string]: unknown;
}

function state({ tasks = {}, workers = {}, ...rest }: StateText): string {
  return JSON.stringify({ current_level: 1, execution_log: [], levels: {}, ...rest, tasks, workers });
}

const running = { status: 'running', started_at: ago(100) };

async function look(files: Readonly<Record<string, string>>): Promise<FeaturesSnapshot> {
  return await lookAtFeatures({ root: await tempProject(files), now: NOW });
}

function only({ features }: FeaturesSnapshot): FeatureSnapshot {
  const [feature] = features;
  if (feature === undefined || features.length !== 1) {
    throw new Error(`There are ${String(features.length)} features.`);
  }
  return feature;
}

function worker({ workers }: FeatureSnapshot, id: number | string): FeatureWorker {
  const found = workers.find((one) => one.id === id);
  if (found === undefined) {
    throw new Error(`There is no worker ${String(id)}.`);
  }
  return found;
}

function statusOf({ tasks }: FeatureSnapshot, id: string): string | undefined {
  return tasks.find((task) => task.id === id)?.status;
}

describe('the state of a feature', () => {
  it('is not looked for in what else lies in its folder', async () => {
    const { features } = await look({
      '.zerg/state/heartbeat-0.json': state({}),
      '.zerg/state/progress-0.json': state({}),
      '.zerg/state/tokens-0.json': state({}),
      '.zerg/state/token-cache.json': state({}),
      '.zerg/state/escalations.json': '[]',
      '.zerg/state/repo-index.json': state({}),
      '.zerg/state/adaptive-detail.json': state({}),
      '.zerg/state/settings.json': '{"answer":42}',
      '.zerg/state/real.json.tmp': state({}),
      '.zerg/state/real_abc.tmp': state({}),
      '.zerg/state/real.json.bak': state({}),
      '.zerg/state/real.lock': '',
    });
    expect(features).toEqual([]);
  });

  it('is said to be unreadable where neither it nor its backup can be read, and shows no figure', async () => {
    const snapshot = await look({
      '.gsd/specs/auth/task-graph.json': graph('A-L1-1', 'A-L2-1'),
      '.zerg/state/auth.json': '{"tasks":{"A-L1-1":{"status":"compl',
      '.zerg/state/auth.json.bak': '',
    });
    expect(only(snapshot)).toMatchObject({
      phase: 'unreadable',
      kind: 'unreadable',
      source: '.zerg/state/auth.json',
      percent: null,
      byStatus: { unknown: 2 },
      levels: [
        { status: 'unknown', complete: null },
        { status: 'unknown', complete: null },
      ],
    });
    expect(snapshot.diagnostics).toHaveLength(1);
  });

  it('is not looked for in a file that holds other JSON than an object', async () => {
    const lists = { '.zerg/state/cache.json': '["a","b"]', '.zerg/state/count.json': '3', '.zerg/state.json': '[]' };
    const snapshot = await look({ ...lists, '.zerg/state/auth.json': state({}) });
    expect(only(snapshot).feature).toBe('auth');
    expect(snapshot.diagnostics).toEqual([]);
  });

  it('is found whatever its name is, and is not mistaken for a design without one', async () => {
    const names = ['two words', 'Оплата', '💳', 'a#b%20', 'a\nb', '__proto__', "it's"];
    const files = names.flatMap((name) => [
      [`.zerg/state/${name}.json`, state({ tasks: { A: { status: 'complete' } } })],
      [`.gsd/specs/${name}/task-graph.json`, graph('A')],
    ]);
    const { features } = await look(Object.fromEntries(files) as Record<string, string>);
    expect(features.map(({ feature, phase }) => [feature, phase])).toEqual(
      names.sort().map((name) => [name, 'complete']),
    );
  });

  it('whose folder cannot be listed is said to be unreadable, and a folder that is none too', async () => {
    const file = await look({ '.zerg/state': 'a file', '.gsd/specs': 'a file' });
    expect(file.diagnostics).toEqual([
      '.gsd/specs: unreadable (it is no folder)',
      '.zerg/state: unreadable (it is no folder)',
    ]);
    expect((await look({ '.zerg': 'a file' })).diagnostics).toEqual(['.zerg: unreadable (it is no folder)']);
    expect((await look({ '.zerg/logs/x.log': '' })).diagnostics).toEqual([]);
  });

  it("and its logs are read behind a mark of the byte order, with Windows' line ends", async () => {
    const log = `\uFEFF[${ago(9)}] Worker 0: Started task A\r\n[${ago(5)}] Worker 0: Committed A\r\n`;
    const ofLog = only(
      await look({ '.gsd/specs/auth/task-graph.json': graph('A', 'B'), '.gsd/specs/auth/progress.md': log }),
    );
    expect(ofLog).toMatchObject({ byStatus: { complete: 1, pending: 1 }, startedAt: null });
    expect(ofLog.tasks[0]?.startedAt).toBe(Date.parse(ago(9)));
    const ofLines = only(
      await look({
        '.zerg/state/auth.json': `\uFEFF${state({ workers: { 0: running } })}`,
        '.zerg/logs/workers/worker-0.jsonl': `\uFEFF{"ts":"${ago(3)}","feature":"auth"}\r\n`,
      }),
    );
    expect(worker(ofLines, 0).lastActivityAgeSeconds).toBe(3);
  });

  it('is read a second time before the backup is asked, because a writer may be in the middle of it', async () => {
    const root = await tempProject({ '.zerg/state/auth.json': '{"tasks":', '.zerg/state/auth.json.bak': state({}) });
    const path = join(root, '.zerg/state/auth.json');
    let mended = false;
    const clock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      schedule: (_ms: number, run: () => void) => {
        // The pause between the two readings.
        writeFileSync(path, state({ tasks: { A: { status: 'complete' } } }));
        mended = true;
        setImmediate(run);
        return { dispose: () => undefined };
      },
    };
    const snapshot = await lookAtFeatures({ root, now: NOW }, new FeatureReader({ root, home: null, clock }));
    expect(mended).toBe(true);
    expect(only(snapshot)).toMatchObject({ source: '.zerg/state/auth.json', phase: 'complete' });
    expect(snapshot.diagnostics).toEqual([]);
  });

  it('counts the tasks that the run announced where no graph tells the total', async () => {
    const rush = [{ timestamp: ago(99), event: 'rush_started', data: { total_tasks: 6 } }];
    const tasks = { A: { status: 'complete' }, B: { status: 'complete' } };
    const feature = only(await look({ '.zerg/state/auth.json': state({ tasks, execution_log: rush }) }));
    expect(feature).toMatchObject({ totalTasks: 6, percent: 33, phase: 'executing' });
    const torn = only(
      await look({ '.zerg/state/auth.json': state({ tasks }), '.gsd/specs/auth/task-graph.json': '{"tasks":[{' }),
    );
    expect(torn).toMatchObject({ totalTasks: null, percent: null, phase: 'executing' });
  });

  it('may be both generations at once: the newest word about each task counts', async () => {
    const feature = only(
      await look({
        '.zerg/state/auth.json': state({
          tasks: { A: { status: 'in_progress', updated_at: ago(50) }, B: { status: 'complete', updated_at: ago(10) } },
        }),
        '.zerg/state.json': JSON.stringify({
          feature: 'auth',
          tasks: {
            A: { status: 'complete', completed_at: ago(20) },
            B: { status: 'running', started_at: ago(90) },
            C: { status: 'running', started_at: ago(5) },
          },
        }),
      }),
    );
    expect(feature).toMatchObject({ kind: 'state', source: '.zerg/state/auth.json' });
    expect(['A', 'B', 'C'].map((id) => statusOf(feature, id))).toEqual(['complete', 'complete', 'in_progress']);
  });

  it('that names a path as its feature reads nothing there', async () => {
    const root = await tempProject({ '.zerg/state.json': JSON.stringify({ feature: '../../outside', tasks: {} }) });
    await addFiles(dirname(root), { 'outside/task-graph.json': graph('SECRET') });
    const feature = only(await lookAtFeatures({ root, now: NOW }));
    expect(feature).toMatchObject({ feature: '../../outside', tasks: [] });
  });

  it('of the checkpoint shape belongs to the current feature where it names none', async () => {
    const feature = only(
      await look({
        '.gsd/.current-feature': 'auth\n',
        '.gsd/specs/auth/task-graph.json': graph('A-L1-1', 'A-L1-2', 'A-L2-1', 'A-L2-2'),
        '.zerg/state.json': JSON.stringify({ completed_tasks: ['A-L1-1'], failed_tasks: ['A-L1-2'], current_level: 1 }),
      }),
    );
    expect(feature).toMatchObject({
      kind: 'checkpoint',
      source: '.zerg/state.json',
      percent: 25,
      byStatus: { complete: 1, failed: 1, pending: 2 },
      levels: [{ status: 'complete_with_failures' }, { status: 'pending' }],
    });
  });
});

describe('a heartbeat', () => {
  const two = {
    '.zerg/state/auth.json': state({ tasks: { A: { status: 'in_progress', worker_id: 0 } }, workers: { 0: running } }),
    '.zerg/state/bill.json': state({
      tasks: { B: { status: 'in_progress', worker_id: 0 } },
      workers: { 0: running, 1: running },
    }),
  };

  it('belongs to the feature that has its task, else to the only one that has its worker, else to none', async () => {
    const snapshot = await look({
      ...two,
      '.zerg/state/heartbeat-0.json': heartbeat(0, 'B', 4),
      '.zerg/state/heartbeat-1.json': heartbeat(1, null, 5),
      '.zerg/heartbeat-0.json': heartbeat('0', null, 1),
      '.zerg/heartbeat-7.json': heartbeat('7', 'GONE', 1),
    });
    const [auth, bill] = snapshot.features;
    expect(auth?.workers.map(({ liveness }) => liveness)).toEqual(['no-heartbeat']);
    expect(bill?.workers.map(({ heartbeat: beat }) => beat?.ageSeconds)).toEqual([4, 5]);
    expect(snapshot.unattributedHeartbeats).toEqual(['.zerg/heartbeat-0.json', '.zerg/heartbeat-7.json']);
  });

  it('of a worker that no state knows makes it one, of unknown status, if its id is a number', async () => {
    const feature = only(
      await look({
        '.zerg/state/auth.json': state({ tasks: { A: { status: 'claimed', worker_id: 5 } } }),
        '.zerg/state/heartbeat-5.json': heartbeat(5, 'A', 3),
        '.zerg/state/heartbeat-x.json': heartbeat('x', 'A', 3),
      }),
    );
    expect(feature.workers).toMatchObject([{ id: 5, status: 'unknown', liveness: 'active', currentTask: 'A' }]);
    expect(feature.strandedTasks).toEqual([]);
  });

  it('tells a current task only while that is in work', async () => {
    const files = (status: string, workerStatus: string): Readonly<Record<string, string>> => ({
      '.zerg/state/auth.json': state({
        tasks: { A: { status, worker_id: 0 } },
        workers: { 0: { ...running, status: workerStatus } },
      }),
      '.zerg/state/heartbeat-0.json': heartbeat(0, 'A', 3),
    });
    const current = async (status: string, workerStatus: string): Promise<string | null> =>
      worker(only(await look(files(status, workerStatus))), 0).currentTask;
    expect(await current('verifying', 'running')).toBe('A');
    expect(await current('complete', 'running')).toBeNull();
    expect(await current('waiting_retry', 'running')).toBeNull();
    expect(await current('in_progress', 'crashed')).toBeNull();
  });

  it('of several of one worker is the newest, wherever it lies', async () => {
    const root = await tempProject({
      '.zerg/state/auth.json': state({
        tasks: { A: { status: 'in_progress', worker_id: 0 } },
        workers: { 0: running },
      }),
      '.zerg/state/heartbeat-0.json': heartbeat(0, 'A', 300),
      '.zerg-worktrees/auth/worker-0/.zerg/state/heartbeat-0.json': heartbeat(0, 'A', 7),
    });
    const inside = only(await lookAtFeatures({ root, now: NOW }));
    expect(worker(inside, 0)).toMatchObject({
      liveness: 'active',
      heartbeat: { file: '.zerg-worktrees/auth/worker-0/.zerg/state/heartbeat-0.json', ageSeconds: 7 },
    });
    await addFiles(dirname(root), { '.zerg-worktrees/auth/worker-0/.zerg/heartbeat-0.json': heartbeat('0', 'A', 2) });
    const beside = only(await lookAtFeatures({ root, now: NOW }));
    expect(worker(beside, 0).heartbeat).toMatchObject({
      file: '../.zerg-worktrees/auth/worker-0/.zerg/heartbeat-0.json',
      ageSeconds: 2,
    });
  });

  it("of another repository's worktree beside this one is not ours", async () => {
    const root = await tempProject({
      '.zerg/state/auth.json': state({
        tasks: { A: { status: 'in_progress', worker_id: 0 } },
        workers: { 0: running },
      }),
    });
    await addFiles(dirname(root), {
      '.zerg-worktrees/auth/worker-0/.git': `gitdir: ${join(dirname(root), 'other/.git/worktrees/worker-0')}\n`,
      '.zerg-worktrees/auth/worker-0/.zerg/state/heartbeat-0.json': heartbeat(0, 'A', 2),
    });
    expect(worker(only(await lookAtFeatures({ root, now: NOW })), 0).heartbeat).toBeNull();
  });
});

describe('a worktree', () => {
  it("adds its worker's newer words to the state, and its state files are named", async () => {
    const feature = only(
      await look({
        '.gsd/specs/auth/task-graph.json': graph('A', 'B'),
        '.zerg/state/auth.json': state({
          tasks: {
            A: { status: 'in_progress', worker_id: 0, updated_at: ago(90) },
            B: { status: 'complete', updated_at: ago(5) },
          },
          workers: { 0: running },
        }),
        '.zerg-worktrees/auth/worker-0/.zerg/state/auth.json': state({
          tasks: {
            A: { status: 'complete', worker_id: 0, updated_at: ago(20) },
            B: { status: 'pending', updated_at: ago(80) },
          },
        }),
        '.zerg-worktrees/auth/worker-0/.zerg/state/other.json': state({ tasks: { X: { status: 'complete' } } }),
      }),
    );
    expect(feature.byStatus).toEqual({ complete: 2 });
    expect(feature.worktreeStateFiles).toEqual(['.zerg-worktrees/auth/worker-0/.zerg/state/auth.json']);
  });
});

describe('a link', () => {
  it('out of the project is not followed, and that is said', async () => {
    const root = await tempProject({ '.gsd/specs/auth/task-graph.json': graph('A') });
    await addFiles(dirname(root), { 'elsewhere/state/secret.json': state({ tasks: { S: { status: 'complete' } } }) });
    symlinkSync(join(dirname(root), 'elsewhere'), join(root, '.zerg'));
    const snapshot = await lookAtFeatures({ root, now: NOW });
    expect(only(snapshot)).toMatchObject({ feature: 'auth', phase: 'designed' });
    expect(snapshot.diagnostics.join()).toContain('leads out of the project');
  });

  it('in place of a state file is no state, but it is there: unreadable', async () => {
    const root = await tempProject({
      'real.json': state({ tasks: { S: { status: 'complete' } } }),
      '.zerg/state/x': '',
    });
    symlinkSync(join(root, 'real.json'), join(root, '.zerg/state/auth.json'));
    expect(only(await lookAtFeatures({ root, now: NOW }))).toMatchObject({ phase: 'unreadable', percent: null });
  });
});

describe('a progress log beside a state', () => {
  it('counts where a worker wrote later than the state, and for the activity of its worker', async () => {
    const feature = only(
      await look({
        '.zerg/state/auth.json': state({
          tasks: {
            'A-1': { status: 'in_progress', worker_id: 0, updated_at: ago(900) },
            'A-2': { status: 'complete', worker_id: 1, updated_at: ago(10) },
          },
          workers: { 0: { status: 'running', started_at: ago(950) }, 1: running },
        }),
        '.gsd/specs/auth/progress.md': [
          `[${ago(100)}] Worker 0: Committed A-1 to branch zerg/auth/worker-0`,
          `[${ago(60)}] Worker 1: Started task A-2`,
          `[${ago(40)}] Worker 9: Started task A-9\n`,
        ].join('\n'),
      }),
    );
    expect(['A-1', 'A-2', 'A-9'].map((id) => statusOf(feature, id))).toEqual(['complete', 'complete', undefined]);
    expect(feature.workers.map(({ id, lastActivityAgeSeconds }) => [id, lastActivityAgeSeconds])).toEqual([
      [0, 100],
      [1, 10],
    ]);
  });
});

describe('a stranded task', () => {
  it('is held by a worker that is gone or absent, in a feature that has workers', async () => {
    const held = (workerId: number | null): object => ({ status: 'in_progress', worker_id: workerId });
    const tasks = { A: held(0), B: held(1), C: held(9), D: held(null), E: { status: 'paused', worker_id: 1 } };
    const workers = { 0: running, 1: { ...running, status: 'stopped' } };
    const feature = only(await look({ '.zerg/state/auth.json': state({ tasks, workers }) }));
    expect(feature.strandedTasks).toEqual(['B', 'C', 'D']);
    expect(only(await look({ '.zerg/state/auth.json': state({ tasks }) })).strandedTasks).toEqual([]);
  });
});

describe('what features share', () => {
  it('is given to the feature of the task: escalations, tokens, checks', async () => {
    const snapshot = await look({
      '.zerg/state/auth.json': state({
        tasks: { A: { status: 'in_progress' } },
        workers: { 0: { ...running, current_task: 'A' } },
      }),
      '.zerg/state/bill.json': state({ tasks: { B: { status: 'in_progress' } }, workers: { 0: running } }),
      '.zerg/state/escalations.json': JSON.stringify([
        { worker_id: 0, task_id: 'B', category: 'late', timestamp: ago(5), message: 'later' },
        { worker_id: 0, task_id: 'B', category: 'early', timestamp: ago(50), resolved: true },
        { worker_id: 0, category: 'whose' },
      ]),
      '.zerg/state/tokens-0.json': JSON.stringify({
        worker_id: '0',
        tasks: { A: { total: 10 }, B: { total: 5 } },
        cumulative: { total_tokens: 15 },
      }),
      '.zerg/state/progress-0.json': JSON.stringify({
        worker_id: 0,
        current_task: 'A',
        tier_results: [{ tier: 2, name: 'correctness', success: false, retry: 1 }],
      }),
    });
    const [auth, bill] = snapshot.features;
    expect(auth?.escalations).toEqual([]);
    expect(bill?.escalations.map(({ category, resolved }) => [category, resolved])).toEqual([
      ['early', true],
      ['late', false],
    ]);
    expect(snapshot.unattributedEscalations.map(({ category }) => category)).toEqual(['whose']);
    expect([auth, bill].map((one) => one?.workers[0]?.tokens)).toEqual([10, 5]);
    expect(auth?.workers[0]?.tiers).toEqual([{ tier: 2, name: 'correctness', success: false, retry: 1 }]);
  });

  it("is a worker's log too: only lines of the feature count, through the turn of the file and as it grows", async () => {
    const line = (feature: string, age: number): string =>
      `${JSON.stringify({ ts: ago(age), worker_id: 0, feature })}\n`;
    const root = await tempProject({
      '.zerg/state/auth.json': state({ workers: { 0: { status: 'running' } } }),
      '.zerg/state/bill.json': state({ workers: { 0: { status: 'running' } } }),
      '.zerg/logs/workers/worker-0.jsonl.1': line('auth', 500),
      '.zerg/logs/workers/worker-0.jsonl': line('bill', 50),
    });
    const reader = readerOf(root);
    const ages = async (): Promise<readonly unknown[]> =>
      (await lookAtFeatures({ root, now: NOW }, reader)).features.map((one) => one.workers[0]?.lastActivityAgeSeconds);
    expect(await ages()).toEqual([500, 50]);
    const half = line('auth', 20).slice(0, 40);
    writeFileSync(join(root, '.zerg/logs/workers/worker-0.jsonl'), line('bill', 50) + half);
    expect(await ages()).toEqual([500, 50]);
    writeFileSync(join(root, '.zerg/logs/workers/worker-0.jsonl'), line('bill', 50) + line('auth', 20));
    expect(await ages()).toEqual([20, 50]);
  });
});

describe('a respawn loop', () => {
  it('is seen in the starts of one worker, also where a worktree repeats them', async () => {
    const start = (id: number, age: number): object => ({
      timestamp: ago(age),
      event: 'worker_started',
      data: { worker_id: id, mode: 'subprocess' },
    });
    const log = [start(0, 60), start(0, 50), start(0, 40), start(1, 60), start(1, 40)];
    const text = state({ workers: { 0: running, 1: running }, execution_log: log });
    const feature = only(
      await look({ '.zerg/state/auth.json': text, '.zerg-worktrees/auth/worker-0/.zerg/state/auth.json': text }),
    );
    expect(feature.workers.map(({ respawning }) => respawning)).toEqual([true, false]);
    expect(feature.modes).toEqual(['subprocess']);
  });
});

describe('a task list', () => {
  const item = (id: number, subject: string, fields: object = {}): string =>
    JSON.stringify({ id: String(id), subject, description: 'for auth', status: 'completed', ...fields });

  it('in a further home is found, its own ids stand where the graph has no such title, and a torn item is not pending', async () => {
    const root = await tempProject({ '.gsd/specs/auth/task-graph.json': graph('A-L1-1', 'A-L1-2') });
    const home = join(dirname(root), 'team');
    await addFiles(home, {
      '.claude/tasks/list/1.json': item(1, '[L1] Do A-L1-1'),
      '.claude/tasks/list/4.json': item(4, '[L3] Something new', { status: 'pending' }),
      '.claude/tasks/other/1.json': item(1, '[L1] Do A-L1-1', { description: 'for billing' }),
    });
    const request = { root, now: NOW, taskHomes: ['../team'] };
    const feature = only(await lookAtFeatures(request));
    expect(feature).toMatchObject({ kind: 'claude-tasks', modes: ['task agents'], percent: 33 });
    expect(feature.source).toBe(join(home, '.claude/tasks/list'));
    expect(feature.tasks.map(({ id, status, level }) => [id, status, level])).toEqual([
      ['A-L1-1', 'complete', 1],
      ['A-L1-2', 'pending', 1],
      ['TASK-4', 'pending', 3],
    ]);
    await addFiles(home, { '.claude/tasks/list/2.json': '{"id":"2","subj' });
    const torn = await lookAtFeatures(request);
    expect(only(torn)).toMatchObject({ percent: null, byStatus: { complete: 1, pending: 1, unknown: 1 } });
    expect(torn.diagnostics.join()).toContain('2.json');
  });
});

describe('the project-wide table', () => {
  it('is shown only where there is no feature at all', async () => {
    const table = '| A | ✅ Complete |\n| B | ⏳ Pending |\n';
    const snapshot = await look({ '.gsd/tasks/PROGRESS.md': table });
    expect(snapshot.projectProgress).toEqual({ path: '.gsd/tasks/PROGRESS.md', complete: 1, total: 2 });
    const beside = await look({ '.gsd/tasks/PROGRESS.md': table, '.gsd/specs/auth/task-graph.json': graph('A') });
    expect(beside.projectProgress).toBeNull();
  });
});

describe('a second look', () => {
  it('sees a state that was replaced, and one that is gone', async () => {
    const root = await tempProject({ '.zerg/state/auth.json': state({ tasks: { A: { status: 'pending' } } }) });
    const path = join(root, '.zerg/state/auth.json');
    const reader = readerOf(root);
    const percent = async (): Promise<unknown> =>
      (await lookAtFeatures({ root, now: NOW }, reader)).features[0]?.percent;
    const replace = (status: string): void => {
      writeFileSync(`${path}.tmp`, state({ tasks: { A: { status } } }));
      // Old enough to be remembered.
      utimesSync(`${path}.tmp`, 1_700_000_000, 1_700_000_000);
      renameSync(`${path}.tmp`, path);
    };
    replace('pending');
    expect(await percent()).toBe(0);
    expect(await percent()).toBe(0);
    replace('complete');
    expect(await percent()).toBe(100);
    rmSync(path);
    expect(await percent()).toBeUndefined();
  });
});

describe('the machine beside the files', () => {
  const started = (id: number): object => ({
    timestamp: ago(100),
    event: 'worker_started',
    data: { worker_id: id, mode: 'subprocess' },
  });
  const files = {
    '.zerg/state/auth.json': state({
      tasks: { A: { status: 'in_progress', worker_id: 0 } },
      workers: { 0: running, 1: running },
      execution_log: [started(0), started(1)],
    }),
  };

  it('shows a container that ended or whose process is gone as crashed, with the reason', async () => {
    const root = await tempProject(files);
    const container = { feature: 'auth', id: 'abc', unhealthy: false, exitCode: 137, oomKilled: true } as const;
    const live = {
      ...filesAlone,
      containers: [
        { ...container, worker: '0', state: 'exited' as const },
        { ...container, worker: '1', state: 'running' as const, unhealthy: true, exitCode: 0, oomKilled: false },
      ],
    };
    const feature = only(await lookAtFeatures({ root, now: NOW, live }));
    expect(feature).toMatchObject({
      phase: 'orphaned',
      strandedTasks: ['A'],
      workers: [
        { status: 'crashed', liveness: 'crashed', containerEnd: { exitCode: 137, oomKilled: true } },
        { status: 'crashed', liveness: 'crashed', containerEnd: { unhealthy: true } },
      ],
    });
  });

  it('finds a worker by its command line in this project, and misses one only while others of its run are seen', async () => {
    const root = await tempProject(files);
    const args = ['-e', 'setInterval(() => {}, 1000)', '--', '--worker-id', '1', '--feature', 'auth'];
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'ignore' });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    await once(child, 'spawn');
    const elsewhere = join(dirname(root), 'elsewhere');
    mkdirSync(elsewhere);
    expect(runProcesses(elsewhere)).toEqual([]);
    const processes = runProcesses(root);
    expect(processes).toEqual([{ feature: 'auth', worker: '1', pid: child.pid }]);
    const feature = only(await lookAtFeatures({ root, now: NOW, live: { ...filesAlone, processes } }));
    expect(feature.workers).toMatchObject([
      { liveness: 'crashed', processGone: true, pid: null },
      { liveness: 'no-heartbeat', processGone: false, pid: child.pid },
    ]);
    const alone = only(await lookAtFeatures({ root, now: NOW, live: { ...filesAlone, processes: [] } }));
    expect(alone.workers.map(({ liveness }) => liveness)).toEqual(['no-heartbeat', 'no-heartbeat']);
  });
});
