import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/base/clock';
import { isRecord } from '../../src/core/protocol/events/jsonGuards';
import type { TaskStatusWord } from '../../src/core/protocol/features/writing/writeTask';
import { utcZone } from '../../src/core/protocol/features/zone';
import { openRunState } from '../../src/core/registry/runState';
import { runCli, startCli } from '../support/runCli';
import { useScript } from '../support/scriptProcess';
import { seededRandom } from '../support/seededRandom';
import { addFiles, tempProject } from '../support/tempProject';

const python = fileURLToPath(new URL('../support/runWriter.py', import.meta.url));
const updates = Number(process.env['ROLLCALL_UPDATES'] ?? 10_000);
const random = seededRandom();
const startScript = useScript('test/support/runStateScript.ts');

const stateFile = '.zerg/state/user-auth.json';
const tasks = ['AUTH-L1-001', 'AUTH-L1-002', 'AUTH-L2-001'] as const;

const graph = JSON.stringify({
  feature: 'user-auth',
  tasks: tasks.map((id) => ({ id, title: id, level: Number(id[6]) })),
});

/** As the real tool writes it, with a field that we do not know and numbers that JavaScript would write otherwise. */
const state = `{
  "feature": "user-auth",
  "started_at": "2026-02-14T17:10:00",
  "tally": {
    "others": 0,
    "turns": 0
  },
  "current_level": 1,
  "tasks": {
    "AUTH-L1-001": {
      "status": "complete",
      "updated_at": "2026-02-14T17:12:16",
      "worker_id": 0,
      "level": 1,
      "cost": 1.0
    },
    "AUTH-L1-002": {
      "status": "pending",
      "updated_at": "2026-02-14T17:12:16",
      "worker_id": 1,
      "note": "caf\\u00e9"
    }
  },
  "workers": {
    "10": {
      "worker_id": 10,
      "status": "ready",
      "current_task": null,
      "context_usage": 0.0,
      "budget": 12345678901234567890
    },
    "2": {
      "worker_id": 2,
      "status": "ready",
      "current_task": null,
      "context_usage": 1e-05
    }
  },
  "levels": {},
  "execution_log": [],
  "metrics": null,
  "paused": false,
  "error": null
}`;

async function runProject(files: Readonly<Record<string, string>> = {}): Promise<string> {
  return await tempProject({
    '.zerg/state/user-auth.json': state,
    '.gsd/specs/user-auth/task-graph.json': graph,
    '.gsd/.current-feature': 'user-auth\n',
    ...files,
  });
}

async function textOf(root: string, path: string): Promise<string> {
  return await readFile(join(root, path), 'utf8');
}

/** The object at these keys of a JSON file. */
async function partOf(root: string, path: string, ...keys: readonly string[]): Promise<Record<string, unknown>> {
  let part: unknown = JSON.parse(await textOf(root, path));
  for (const key of keys) {
    part = isRecord(part) ? part[key] : undefined;
  }
  return isRecord(part) ? part : {};
}

interface PythonRun {
  readonly ended: Promise<number | null>;
  readonly line: () => Promise<string>;
  readonly endInput: () => void;
}

function startPython(...args: readonly string[]): PythonRun {
  const child = spawn('python3', [python, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines = createInterface({ input: child.stdout });
  return {
    ended,
    line: async () => await new Promise((resolve) => lines.once('line', resolve)),
    endInput: () => child.stdin.end(),
  };
}

function openState(root: string): ReturnType<typeof openRunState> {
  return openRunState({ root, clock: systemClock(), zone: utcZone, searchPath: process.env['PATH'] ?? '' });
}

describe('writing to a feature run', () => {
  it(`loses none of ${updates} updates that a Python writer and ours make at once (seed ${random.seed})`, {
    timeout: 600_000,
  }, async () => {
    const root = await runProject();
    const folder = join(root, '.zerg/state');
    const byPython = Math.floor(updates * 0.6);
    const byCli = Math.min(20, Math.floor(updates / 10));
    const byModule = updates - byPython - byCli;
    const other = startPython('count', folder, 'user-auth', String(byPython), String(random.seed));
    const ours = openState(root);
    // Eight callers at once, as the workers of one run are: what waits together goes into one write.
    const ourUpdates = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 1) {
        const change = { task: random.pick(tasks), worker: random.below(5), error: null, level: 1 };
        const status = random.pick<TaskStatusWord>(['complete', 'failed']);
        expect(await ours.setTask('user-auth', { ...change, status })).toMatchObject({ ok: true });
      }
    };
    const cliUpdates = async (): Promise<void> => {
      for (let done = 0; done < byCli; done += 1) {
        expect(await runCli(root, 'task', random.pick(tasks), 'complete', '--worker', '3')).toMatchObject({ code: 0 });
      }
    };
    const shares = Array.from({ length: 8 }, (_, at) => Math.floor((byModule + at) / 8));
    await Promise.all([...shares.map(ourUpdates), cliUpdates(), other.ended]);
    const end = await partOf(root, stateFile);
    const { others, turns } = await partOf(root, stateFile, 'tally');
    const log = Array.isArray(end['execution_log']) ? end['execution_log'] : [];
    const counted = Object.values(await partOf(root, stateFile, 'tasks')).map((task) =>
      isRecord(task) ? Number(task['python_updates'] ?? 0) : 0,
    );
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(byPython);
    expect(Number(others) + log.length).toBe(byModule + byCli);
    expect(Number(turns)).toBeGreaterThan(0);
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it(`leaves a whole file and a free lock when it is killed at any moment (seed ${random.seed})`, async () => {
    const root = await runProject();
    for (let round = 0; round < 12; round += 1) {
      const writer = startScript({ args: [root, 'user-auth', 'AUTH-L1-002'] });
      for (let seen = random.below(8); seen >= 0; seen -= 1) {
        expect(await writer.line()).toBe('written');
      }
      await writer.kill();
      expect((await partOf(root, stateFile))['feature']).toBe('user-auth');
      expect((await partOf(root, `${stateFile}.bak`))['feature']).toBe('user-auth');
      const other = startPython('count', join(root, '.zerg/state'), 'user-auth', '1', '0');
      expect(await other.ended).toBe(0);
    }
  });

  it('waits for a Python program that holds the lock, and then changes what that left behind', async () => {
    const root = await runProject();
    const holder = startPython('hold', join(root, '.zerg/state'), 'user-auth');
    expect(await holder.line()).toBe('held');
    const cli = startCli(root, ['task', 'AUTH-L1-002', 'in_progress', '--worker', '1']);
    const module = openState(root).setTask('user-auth', {
      task: 'AUTH-L2-001',
      status: 'paused',
      worker: null,
      error: null,
      level: 2,
    });
    // Whoever holds the lock may still write: nothing of ours may come before that.
    await writeFile(join(root, stateFile), state.replace('"paused": false', '"paused": true'));
    expect(await textOf(root, stateFile)).toContain('"status": "pending"');
    holder.endInput();
    expect(await cli.ended).toMatchObject({ code: 0 });
    expect(await module).toMatchObject({ ok: true });
    expect(await partOf(root, stateFile)).toMatchObject({
      paused: true,
      tasks: { 'AUTH-L1-002': { status: 'in_progress' }, 'AUTH-L2-001': { status: 'paused', level: 2 } },
    });
  });

  it('keeps unknown fields, the order of keys and the way numbers are written, as Python would write it', async () => {
    const root = await runProject();
    await runCli(root, 'task', 'AUTH-L1-002', 'in_progress', '--worker', '1', '--error', 'naïve');
    await runCli(root, 'heartbeat', '--worker', '2', '--task', 'AUTH-L1-002', '--step', 'implementing');
    const text = await textOf(root, stateFile);
    const stamp = /"(?:updated|started)_at": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}"/g;
    const expected = state
      .replace('"status": "pending",\n      "updated_at": "2026-02-14T17:12:16"', '"status": "in_progress",\n      NOW')
      .replace('"note": "caf\\u00e9"', '"note": "caf\\u00e9",\n      "error": "na\\u00efve",\n      NOW')
      .replace(
        '"worker_id": 2,\n      "status": "ready",\n      "current_task": null',
        '"worker_id": 2,\n      "status": "running",\n      "current_task": "AUTH-L1-002"',
      );
    expect(text.replace(stamp, 'NOW')).toBe(expected);
  });

  it('leaves the text of the write before in .json.bak', async () => {
    const root = await runProject();
    await runCli(root, 'task', 'AUTH-L1-002', 'in_progress');
    expect(await textOf(root, `${stateFile}.bak`)).toBe(state);
    const first = await textOf(root, stateFile);
    await runCli(root, 'task', 'AUTH-L1-002', 'verifying');
    expect(await textOf(root, `${stateFile}.bak`)).toBe(first);
  });

  it('writes a heartbeat in the newest dialect, and adds the worker to a state that begins with it', async () => {
    const root = await tempProject({ '.gsd/specs/user-auth/task-graph.json': graph });
    const args = ['--worker', '7', '--task', 'AUTH-L2-001', '--step', 'verifying_tier1', '--progress', '65'];
    const steps = ['--current-step', '2', '--total-steps', '2', '--step-states', 'completed,in_progress'];
    const run = await runCli(root, 'heartbeat', ...args, ...steps, '--json');
    expect(JSON.parse(run.stdout)).toEqual({
      schema: 1,
      feature: 'user-auth',
      worker_id: 7,
      task_id: 'AUTH-L2-001',
      step: 'verifying_tier1',
      files: ['.zerg/state/heartbeat-7.json', '.zerg/state/user-auth.json'],
    });
    expect((await textOf(root, '.zerg/state/heartbeat-7.json')).replace(/\d{4}-[^"]+\+00:00/, 'NOW')).toBe(
      '{"worker_id": 7, "timestamp": "NOW", "task_id": "AUTH-L2-001", "step": "verifying_tier1", "progress_pct": 65, ' +
        '"current_step": 2, "total_steps": 2, "step_states": ["completed", "in_progress"]}',
    );
    expect(await partOf(root, stateFile, 'workers', '7')).toMatchObject({
      worker_id: 7,
      status: 'running',
      current_task: 'AUTH-L2-001',
      tasks_completed: 0,
    });
    const look = await runCli(root, 'status', '--feature', 'user-auth', '--json');
    expect(JSON.parse(look.stdout)).toMatchObject({
      features: [{ feature: 'user-auth', workers: [{ id: 7, liveness: 'active', heartbeat: { progress_pct: 65 } }] }],
    });
  });
});

describe('claims and status words', () => {
  it('lets only one of two workers have a pending task', async () => {
    const root = await runProject();
    const claims = await Promise.all(
      ['3', '4'].map(async (worker) => runCli(root, 'task', 'AUTH-L2-001', 'claimed', '--worker', worker, '--json')),
    );
    expect(claims.map(({ code }) => code).sort()).toEqual([0, 1]);
    const refused = claims.find(({ code }) => code === 1);
    expect(JSON.parse(refused?.stdout ?? '')).toMatchObject({ schema: 1, error: { code: 'wrong-state' } });
    const claimed = await partOf(root, stateFile, 'tasks', 'AUTH-L2-001');
    expect(claimed).toMatchObject({ status: 'claimed', level: 2 });
    expect(typeof claimed['claimed_at']).toBe('string');
  });

  it('lets nobody claim what is planned for another worker or has begun', async () => {
    const root = await runProject();
    const planned = await runCli(root, 'task', 'AUTH-L1-002', 'claimed', '--worker', '0');
    expect(planned).toMatchObject({ code: 1, stdout: '' });
    expect(planned.stderr).toContain('belongs to worker 1');
    const complete = await runCli(root, 'task', 'AUTH-L1-001', 'claimed', '--worker', '0');
    expect(complete.stderr).toContain('AUTH-L1-001 is complete');
    expect(await textOf(root, stateFile)).toBe(state);
  });

  it('frees a task that becomes pending again, so that another worker can claim it', async () => {
    const root = await runProject();
    await runCli(root, 'task', 'AUTH-L1-002', 'claimed', '--worker', '1');
    await runCli(root, 'task', 'AUTH-L1-002', 'pending');
    expect(await partOf(root, stateFile, 'tasks', 'AUTH-L1-002')).toMatchObject({ worker_id: null });
    expect(await runCli(root, 'task', 'AUTH-L1-002', 'claimed', '--worker', '2')).toMatchObject({ code: 0 });
  });

  it('takes no word that is no status, and no worker that is no number', async () => {
    const root = await runProject();
    expect(await runCli(root, 'task', 'AUTH-L1-002', 'done')).toMatchObject({ code: 2 });
    expect(await runCli(root, 'task', 'AUTH-L1-002', 'complete', '--worker', 'x')).toMatchObject({ code: 2 });
    expect(await runCli(root, 'heartbeat', '--task', 'AUTH-L1-002')).toMatchObject({ code: 2 });
    expect(await textOf(root, stateFile)).toBe(state);
  });
});

describe('which feature is written to', () => {
  const billing = JSON.stringify({ tasks: [{ id: 'BILL-L1-001', level: 1 }] });

  it('is the one whose graph has the task, whatever the current one is', async () => {
    const root = await runProject({ '.gsd/specs/billing/task-graph.json': billing });
    expect((await runCli(root, 'task', 'BILL-L1-001', 'complete')).stdout).toContain('billing');
    expect(await partOf(root, '.zerg/state/billing.json', 'tasks')).toHaveProperty(
      ['BILL-L1-001', 'status'],
      'complete',
    );
    expect(await textOf(root, stateFile)).toBe(state);
  });

  it('is asked for where two have the task and neither is the current one', async () => {
    const root = await runProject({
      '.gsd/specs/a/task-graph.json': billing,
      '.gsd/specs/b/task-graph.json': billing,
    });
    const run = await runCli(root, 'task', 'BILL-L1-001', 'complete');
    expect(run).toMatchObject({ code: 1 });
    expect(run.stderr).toContain('a and b');
  });

  it.each(['../../outside', 'other', 'heartbeat-1', '', '/etc/x'])('is never %j, which is none', async (feature) => {
    const root = await runProject({ '.gsd/specs/heartbeat-1/task-graph.json': billing });
    const before = await readdir(root, { recursive: true });
    const run = await runCli(root, 'task', 'AUTH-L1-002', 'complete', '--feature', feature);
    expect(run).toMatchObject({ code: 1 });
    await addFiles(root, { '.gsd/.current-feature': feature });
    expect(await runCli(root, 'heartbeat', '--worker', '1')).toMatchObject({ code: 1 });
    expect(await readdir(root, { recursive: true })).toEqual(before);
  });
});

describe('what is refused', () => {
  it('is every write where there is no flock, with nothing written', async () => {
    const root = await runProject();
    const before = await readdir(root, { recursive: true });
    const run = await startCli(root, ['heartbeat', '--worker', '1'], { env: { ...process.env, PATH: '/nowhere' } })
      .ended;
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain('flock');
    expect(await readdir(root, { recursive: true })).toEqual(before);
  });

  it.each([
    ['cut off', '{"tasks": {'],
    ['an old checkpoint', '{"completed_tasks": [], "state": "running"}'],
    ['of another shape', '{"tasks": []}'],
  ])('is a state that is %s, which stays as it is', async (_name, text) => {
    const root = await runProject({ [stateFile]: text });
    expect(await runCli(root, 'task', 'AUTH-L1-002', 'complete')).toMatchObject({ code: 1 });
    expect(await textOf(root, stateFile)).toBe(text);
  });

  it('is a state folder that leads out of the project', async () => {
    const root = await tempProject({ '.gsd/specs/user-auth/task-graph.json': graph });
    const outside = join(root, '..', 'outside');
    await mkdir(outside);
    await mkdir(join(root, '.zerg'));
    await symlink(outside, join(root, '.zerg/state'));
    expect(await runCli(root, 'task', 'AUTH-L1-001', 'complete')).toMatchObject({ code: 1 });
    expect(await readdir(outside)).toEqual([]);
  });
});
