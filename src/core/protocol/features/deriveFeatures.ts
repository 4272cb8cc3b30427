import { draftFeature, type FeatureDraft } from './featureDraft';
import { featureLevels, levelOf } from './featureLevels';
import { featuresIn } from './featureNames';
import { featurePhase, isGone } from './featurePhase';
import type { FeatureSnapshot, FeaturesSnapshot, FeatureTask, FeatureWorker, WorkerMode } from './featureSnapshot';
import type { FeatureSources } from './featureSources';
import { type FeatureLook, featureWorkers } from './featureWorkers';
import { localInstant } from './instant';
import { count } from './levelStatus';
import { type FeatureShare, shareEvidence } from './sharedEvidence';
import type { TaskRecord } from './stateDocument';
import { isHeld } from './taskStatus';
import { workerIdOf, workerKey } from './workerKey';

/** What a correct viewer shows of a project's feature runs (features.md §2). Pure: the same files give the same answer. */
export function deriveFeatures(sources: FeatureSources, look: FeatureLook): FeaturesSnapshot {
  const drafts = [...featuresIn(sources)].map(([name, files]) => draftFeature(name, sources, files, look));
  const { shares, unattributedHeartbeats, unattributedEscalations } = shareEvidence(sources, drafts);
  const features = drafts.flatMap((draft) => {
    const share = shares.get(draft.name);
    return share === undefined ? [] : [snapshotOf(draft, share, look)];
  });
  return {
    at: look.now,
    thresholds: look.thresholds,
    features,
    currentFeature: sources.currentFeature,
    unattributedHeartbeats,
    unattributedEscalations,
    projectProgress: features.length === 0 ? sources.projectProgress : null,
    diagnostics: [...sources.diagnostics, ...tornItems(sources, features)],
  };
}

/** A home holds lists of other projects too, so only what belongs to a feature of this one is told. */
function tornItems({ taskLists }: FeatureSources, features: readonly FeatureSnapshot[]): readonly string[] {
  const used = new Set(features.map(({ source }) => source));
  return taskLists
    .filter(({ path }) => used.has(path))
    .flatMap(({ torn }) => torn.map((path) => `${path}: unreadable (it is cut off or damaged)`));
}

function snapshotOf(draft: FeatureDraft, share: FeatureShare, look: FeatureLook): FeatureSnapshot {
  const { name, kind, source, state, totalTasks } = draft;
  const workers = featureWorkers(draft, share, look);
  const stranded = strandedTasks(draft, workers);
  const tasks = [...draft.tasks.values()].map((task) => taskOf(task, { draft, stranded }, look));
  const statuses = tasks.map(({ status }) => status);
  const paused = state?.paused ?? false;
  const livenesses = workers.map(({ liveness }) => liveness);
  return {
    feature: name,
    source,
    kind,
    phase: featurePhase({ kind, statuses, total: totalTasks, paused, livenesses }),
    modes: modesOf(draft, workers),
    currentLevel: state?.currentLevel ?? null,
    paused,
    error: state?.error ?? null,
    startedAt: localInstant(draft.startedAt, look),
    totalTasks,
    byStatus: Object.fromEntries([...new Set(statuses)].sort().map((status) => [status, count(statuses, status)])),
    percent: percentOf(statuses, totalTasks),
    strandedTasks: [...stranded],
    worktreeStateFiles: draft.worktreeStateFiles,
    levels: featureLevels(draft),
    workers,
    tasks,
    escalations: share.escalations,
  };
}

/** Tasks that a worker holds which is gone or was never there, in a feature that has workers. */
function strandedTasks({ tasks }: FeatureDraft, workers: readonly FeatureWorker[]): ReadonlySet<string> {
  if (workers.length === 0) {
    return new Set();
  }
  const present = new Set(workers.filter(({ liveness }) => !isGone(liveness)).map(({ id }) => String(id)));
  const held = [...tasks.values()].filter(({ status }) => isHeld(status));
  return new Set(held.filter(({ worker }) => !present.has(workerKey(worker) ?? '')).map(({ id }) => id));
}

interface TaskPlace {
  readonly draft: FeatureDraft;
  readonly stranded: ReadonlySet<string>;
}

function taskOf(task: TaskRecord, { draft, stranded }: TaskPlace, look: FeatureLook): FeatureTask {
  const { id, title, status, worker, retryCount, error } = task;
  const planned = draft.planned.get(id);
  return {
    id,
    title,
    status,
    level: levelOf(task),
    worker,
    plannedWorker: planned === undefined ? null : workerIdOf(planned),
    retryCount,
    nextRetryAt: localInstant(task.nextRetryAt, look),
    error,
    startedAt: localInstant(task.startedAt, look),
    completedAt: localInstant(task.completedAt, look),
    stranded: stranded.has(id),
  };
}

/** What is unknown could be complete, so there is no honest figure beside it. */
function percentOf(statuses: readonly string[], total: number | null): number | null {
  if (total === null || statuses.includes('unknown')) {
    return null;
  }
  return total === 0 ? 0 : Math.round((100 * count(statuses, 'complete')) / total);
}

function modesOf({ kind }: FeatureDraft, workers: readonly FeatureWorker[]): readonly WorkerMode[] {
  const modes = workers.flatMap(({ mode }) => (mode === null ? [] : [mode]));
  return [...new Set(kind === 'claude-tasks' ? [...modes, 'task agents' as const] : modes)].sort();
}
