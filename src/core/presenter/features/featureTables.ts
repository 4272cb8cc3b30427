import type { FeatureSnapshot, FeatureTask, FeatureWorker } from '../../protocol/features/featureSnapshot';
import { NOTHING, tableLines } from '../../protocol/workers/textTable';
import { formatDuration } from '../formatDuration';
import { plainLine } from '../plainText';
import { stepProgress } from './stepGlyphs';
import { workerSeen } from './workerSeen';

const TASK_COLUMNS = [
  { title: 'Task', width: 14 },
  { title: 'Status', width: 15 },
  { title: 'Level', width: 7 },
  { title: 'Worker', width: 8 },
  { title: 'Step', width: 12 },
  { title: 'Retries', width: 9 },
  { title: 'Title', width: 0 },
];

const WORKER_COLUMNS = [
  { title: 'Worker', width: 8 },
  { title: 'Status', width: 15 },
  { title: 'Task', width: 14 },
  { title: 'Step', width: 12 },
  { title: 'Done', width: 6 },
  { title: 'Context', width: 9 },
  { title: 'Tokens', width: 9 },
  { title: 'Port', width: 7 },
  { title: 'Container', width: 14 },
  { title: 'Commit', width: 22 },
  { title: 'Seen', width: 0 },
];

/** `--tasks`: every task of a feature, as lines. */
export function taskTable({ tasks, workers }: FeatureSnapshot): readonly string[] {
  const atWork = new Map(
    workers.flatMap((worker) => (worker.currentTask === null ? [] : [[worker.currentTask, worker]])),
  );
  return tableLines(
    TASK_COLUMNS,
    tasks.map((task) => taskCells(task, atWork.get(task.id))),
  );
}

function taskCells(task: FeatureTask, worker: FeatureWorker | undefined): readonly string[] {
  const status = task.stranded ? `${task.status}, stranded` : task.status;
  return [
    plainLine(task.id, 60),
    plainLine(status, 40),
    task.level === null ? NOTHING : String(task.level),
    task.worker === null ? NOTHING : `W${plainLine(String(task.worker), 20)}`,
    textOr(stepProgress(worker?.heartbeat ?? null)),
    task.retryCount === 0 ? NOTHING : String(task.retryCount),
    plainLine(task.title ?? '', 80),
  ];
}

/** `--workers`: every worker of a feature, as lines. */
export function workerTable({ workers }: FeatureSnapshot): readonly string[] {
  return tableLines(WORKER_COLUMNS, workers.map(workerCells));
}

function workerCells(worker: FeatureWorker): readonly string[] {
  const { contextUsage, tokens, port } = worker;
  return [
    `W${plainLine(String(worker.id), 20)}`,
    plainLine(worker.status, 30),
    textOr(plainLine(worker.currentTask ?? '', 60)),
    textOr(stepProgress(worker.heartbeat)),
    String(worker.tasksCompleted),
    contextUsage === null ? NOTHING : `${String(Math.round(contextUsage * 100))}%`,
    tokens === null ? NOTHING : String(tokens),
    port === null ? NOTHING : String(port),
    textOr(worker.containerId ?? ''),
    textOr(commitWords(worker)),
    workerSeen(worker),
  ];
}

function commitWords({ lastCommit }: FeatureWorker): string {
  return lastCommit === null ? '' : `${lastCommit.hash} ${formatDuration(lastCommit.ageSeconds * 1000)} ago`;
}

function textOr(text: string): string {
  return text === '' ? NOTHING : text;
}
