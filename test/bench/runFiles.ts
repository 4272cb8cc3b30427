import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Each has its share of the tasks, so that a large run has large levels. */
const LEVELS = 4;
const STATUSES = ['complete', 'complete', 'in_progress', 'pending'] as const;

export interface RunPlan {
  readonly root: string;
  readonly feature: string;
  readonly tasks: number;
  readonly workers: number;
}

/** Naive local time, as the tool's `datetime.now().isoformat()` writes it. */
function naive(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
}

/** The level of the task at this place of the graph. */
function levelAt(index: number, { tasks }: Pick<RunPlan, 'tasks'>): number {
  return Math.floor(index / Math.ceil(tasks / LEVELS)) + 1;
}

/** `BENCH-L2-0007`: the id of the task at this place of the graph. */
export function taskId(index: number, plan: Pick<RunPlan, 'tasks'>): string {
  return `BENCH-L${String(levelAt(index, plan))}-${String(index + 1).padStart(4, '0')}`;
}

/** A file as the tool puts it: whole, by a rename. */
function put(path: string, value: unknown): void {
  writeFileSync(`${path}.tmp`, JSON.stringify(value, null, 2));
  renameSync(`${path}.tmp`, path);
}

function stateFile({ root, feature }: RunPlan): string {
  return join(root, '.zerg', 'state', `${feature}.json`);
}

function graphOf(plan: RunPlan): object {
  const { feature, tasks } = plan;
  const nodes = Array.from({ length: tasks }, (_none, index) => ({
    id: taskId(index, plan),
    title: `Build part ${String(index)} of the service`,
    description: 'Implements the part with its tests, as the design says. Nothing else may change.',
    phase: 'core',
    level: levelAt(index, plan),
    dependencies: levelAt(index, plan) === 1 ? [] : [taskId(index - Math.ceil(tasks / LEVELS), plan)],
    files: { create: [`src/part${String(index)}.ts`], modify: [], read: ['src/types.ts'] },
    verification: { command: `npm test -- part${String(index)}`, timeout_seconds: 60 },
    estimate_minutes: 20,
  }));
  const levels = [...new Set(nodes.map(({ level }) => level))].map((level) => [
    String(level),
    { name: `stage ${String(level)}`, tasks: nodes.filter((node) => node.level === level).map(({ id }) => id) },
  ]);
  return { feature, version: '2.0', total_tasks: tasks, tasks: nodes, levels: Object.fromEntries(levels) as object };
}

function stateOf(plan: RunPlan, now: number, change: TaskChange | null): object {
  const { feature, tasks, workers } = plan;
  const entries = Array.from({ length: tasks }, (_none, index) => {
    const status = index === change?.index ? change.status : (STATUSES[index % STATUSES.length] ?? 'pending');
    const worker = { worker_id: index % workers, started_at: naive(now - 60_000), updated_at: naive(now - 4_000) };
    return [taskId(index, plan), { status, level: levelAt(index, plan), ...(status === 'pending' ? {} : worker) }];
  });
  const own = Array.from({ length: workers }, (_none, id) => [
    String(id),
    {
      worker_id: id,
      status: 'running',
      current_task: taskId(taskOf(id, plan), plan),
      port: 49_152 + id,
      container_id: null,
      branch: `zerg/${feature}/worker-${String(id)}`,
      started_at: naive(now - 600_000),
      tasks_completed: Math.floor(tasks / 2 / workers),
      context_usage: 0.4,
    },
  ]);
  const log = Array.from({ length: tasks * 2 }, (_none, index) => ({
    timestamp: naive(now - 300_000 + index),
    event: index % 2 === 0 ? 'task_claimed' : 'task_complete',
    data: { task_id: taskId(Math.floor(index / 2), plan), worker_id: index % workers },
  }));
  return {
    feature,
    started_at: naive(now - 600_000),
    current_level: 1,
    tasks: Object.fromEntries(entries) as object,
    workers: Object.fromEntries(own) as object,
    levels: { '1': { status: 'running', started_at: naive(now - 600_000) } },
    execution_log: log,
    metrics: null,
    paused: false,
    error: null,
  };
}

/** The place of the task that a worker is at. */
function taskOf(worker: number, { tasks }: RunPlan): number {
  return Math.min(worker * STATUSES.length + 2, tasks - 1);
}

function beatOf(worker: number, plan: RunPlan, now: number): object {
  return {
    worker_id: worker,
    timestamp: new Date(now - 4_000).toISOString(),
    task_id: taskId(taskOf(worker, plan), plan),
    step: 'implementing',
    progress_pct: 60,
    current_step: 3,
    total_steps: 5,
    step_states: ['completed', 'completed', 'in_progress', 'pending', 'pending'],
  };
}

function logOf(plan: RunPlan, worker: number, now: number): string {
  const { feature, tasks, workers } = plan;
  const lines = Array.from({ length: Math.ceil((tasks * 4) / workers) }, (_none, index) =>
    JSON.stringify({
      ts: new Date(now - 300_000 + index).toISOString(),
      level: 'info',
      worker_id: worker,
      feature,
      message: 'Running verification of the part',
      task_id: taskId(index % tasks, plan),
      phase: 'verify',
    }),
  );
  return `${lines.join('\n')}\n`;
}

/** Writes a project in the middle of a feature run: graph, state, heartbeats, and a log of each worker. */
export function writeRun(plan: RunPlan): void {
  const { root, feature, workers } = plan;
  const [state, specs] = [join(root, '.zerg', 'state'), join(root, '.gsd', 'specs', feature)];
  const logs = join(root, '.zerg', 'logs', 'workers');
  for (const folder of [state, specs, logs]) {
    mkdirSync(folder, { recursive: true });
  }
  const now = Date.now();
  put(join(specs, 'task-graph.json'), graphOf(plan));
  put(stateFile(plan), stateOf(plan, now, null));
  for (let worker = 0; worker < workers; worker += 1) {
    put(join(state, `heartbeat-${String(worker)}.json`), beatOf(worker, plan, now));
    writeFileSync(join(logs, `worker-${String(worker)}.jsonl`), logOf(plan, worker, now));
  }
}

/** What becomes of one task. */
export interface TaskChange {
  readonly index: number;
  readonly status: string;
}

/** Changes one task as the tool does, by a new state file, and gives the instant of the rename (epoch milliseconds). */
export function changeTask(plan: RunPlan, change: TaskChange): number {
  put(stateFile(plan), stateOf(plan, Date.now(), change));
  return Date.now();
}
