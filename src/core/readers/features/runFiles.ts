import { join, sep } from 'node:path';
import { type WorkerIdValue, workerKey } from '../../protocol/features/workerKey';
import { confinedPath } from '../../system/safePath';
import { foldersIn, isFolder, namesBelow, worktreesOf } from './projectPlaces';

/** What a log of a run holds: JSON lines, what a process printed, or plain text. */
export type RunLogKind = 'events' | 'stdout' | 'stderr' | 'text';

/** A log of a run, whether it is there yet or not. */
export interface RunLogFile {
  readonly kind: RunLogKind;
  /** Absolute. */
  readonly path: string;
}

/** Whose log: a worker of a feature, or without one its orchestrator. */
export interface RunLogRequest {
  readonly feature: string;
  readonly worker: WorkerIdValue | null;
}

const SPECS = join('.gsd', 'specs');
const TASK_LOGS = join('.zerg', 'logs', 'tasks');

/**
 * Where a worker's logs are or will be, in the project and in the worker's worktrees (features.md §1). A place that a
 * link takes out of the project is left out, and so is everything for an id that is no plain word.
 */
export async function runLogFiles(root: string, request: RunLogRequest): Promise<readonly RunLogFile[]> {
  const names = logNames(request.worker);
  const homes = [root, ...(await ownWorktrees(root, request))];
  const places = homes.flatMap((home) => names.map(({ kind, name }) => ({ home, kind, name })));
  const files = places.map(async ({ home, kind, name }) => {
    const confined = await confinedPath(home, join('.zerg', 'logs', name));
    return confined.ok ? [{ kind, path: confined.value }] : [];
  });
  return (await Promise.all(files)).flat();
}

function logNames(worker: WorkerIdValue | null): readonly { readonly kind: RunLogKind; readonly name: string }[] {
  if (worker === null) {
    return [
      { kind: 'text', name: 'orchestrator.log' },
      { kind: 'events', name: join('workers', 'worker-orchestrator.jsonl') },
    ];
  }
  const key = workerKey(worker);
  if (key === null || !/^\w{1,60}$/.test(key)) {
    return [];
  }
  return [
    { kind: 'stdout', name: `worker-${key}.stdout.log` },
    { kind: 'stderr', name: `worker-${key}.stderr.log` },
    { kind: 'text', name: `worker-${key}.log` },
    { kind: 'events', name: join('workers', `worker-${key}.jsonl`) },
  ];
}

async function ownWorktrees(root: string, { feature, worker }: RunLogRequest): Promise<readonly string[]> {
  const name = `worker-${workerKey(worker) ?? ''}`;
  return (await worktreesOf(root))
    .filter(({ folder, worktreeOf }) => worktreeOf === feature && folder.endsWith(sep + name))
    .map(({ folder }) => folder);
}

/** What of a feature, or of one of its tasks, is asked for. */
export interface RunFilesRequest {
  readonly feature: string;
  readonly task: string | null;
}

/** Files and folders of a feature run, absolute, as far as they are there. */
export interface RunFiles {
  /** What the feature was designed with, the graph of its tasks among it. */
  readonly specs: readonly string[];
  /** The folder that keeps the logs of the task. */
  readonly taskLogs: string | null;
}

/** Names are looked up among what is there; no path is made of a feature's or task's own words. */
export async function runFiles(root: string, { feature, task }: RunFilesRequest): Promise<RunFiles> {
  const [features, tasks] = await Promise.all([namesBelow(root, SPECS), namesBelow(root, TASK_LOGS)]);
  const folder = features.find((name) => name === feature);
  const logs = tasks.find((name) => name === task);
  const specs = folder === undefined ? [] : await filesIn(root, join(SPECS, folder));
  const taskLogs = logs === undefined ? null : join(root, TASK_LOGS, logs);
  return { specs, taskLogs: taskLogs !== null && (await isFolder(taskLogs)) ? taskLogs : null };
}

async function filesIn(root: string, folder: string): Promise<readonly string[]> {
  const [names, folders] = await Promise.all([namesBelow(root, folder), foldersIn(join(root, folder))]);
  return names
    .filter((name) => !name.startsWith('.') && !folders.includes(name))
    .map((name) => join(root, folder, name));
}
