import type { FeatureSnapshot, FeatureTask } from '../../protocol/features/featureSnapshot';
import type { WorkerIdValue } from '../../protocol/features/workerKey';
import { formatDuration } from '../formatDuration';
import { plainLine } from '../plainText';
import { joined } from '../rowWords';
import { type TreeNode, treeNode } from '../treeNode';
import type { Reader } from '../words';
import { taskIcon } from './runIcons';
import { statusWords } from './runWords';

/** One feature in one tree. */
export interface PlacedFeature {
  readonly root: string;
  readonly feature: FeatureSnapshot;
}

/** What a worker of a run is called: `W2`. */
export function workerName(id: WorkerIdValue): string {
  return `W${plainLine(String(id), 20)}`;
}

/** Where a feature's rows hang. A design that begins to run is another row, because VS Code keeps what was folded folded. */
export function featureId({ root, feature: { feature, phase } }: PlacedFeature): string {
  return `${root}#${phase === 'designed' ? 'design' : 'feature'}/${feature}`;
}

/** `in progress`, `waits for its retry 2`, `stranded`: how a task is. */
export function taskWords(task: FeatureTask, { t, now }: Reader): string {
  if (task.stranded) {
    return t('stranded');
  }
  if (task.status === 'waiting_retry' && task.nextRetryAt !== null && task.nextRetryAt > now) {
    return t('retries in {0}', formatDuration(task.nextRetryAt - now));
  }
  return statusWords(task.status, t);
}

/** What stands behind a task's id: how it is, who has it, what it is about. */
function taskDescription(task: FeatureTask, reader: Reader): string {
  const { title, worker, error, status } = task;
  const about = status === 'failed' && error !== null ? error : title;
  return joined(
    taskWords(task, reader),
    worker === null ? null : workerName(worker),
    about === null ? null : plainLine(about, 80),
  );
}

/** The row of a task, below its level or below the worker that left it. */
export function taskNode(
  placed: PlacedFeature & { readonly under: string },
  task: FeatureTask,
  reader: Reader,
): TreeNode {
  const { feature } = placed.feature;
  return treeNode({
    kind: 'task',
    id: `${placed.under}/task/${task.id}`,
    root: placed.root,
    label: plainLine(task.id, 60),
    description: taskDescription(task, reader),
    icon: taskIcon(task),
    contextValue: 'run.task',
    run: { feature, worker: task.worker, task: task.id, need: null },
  });
}
