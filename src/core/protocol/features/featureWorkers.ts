import type { FeatureDraft } from './featureDraft';
import type {
  ContainerEnd,
  FeatureThresholds,
  FeatureWorker,
  Liveness,
  WorkerHeartbeat,
  WorkerMode,
} from './featureSnapshot';
import type { HeartbeatFile } from './featureSources';
import { ageSeconds, localInstant, newestOf, utcInstant, type WriterClock } from './instant';
import type { LiveEvidence } from './liveEvidence';
import { livenessOf } from './liveness';
import { workerTime } from './mergeStates';
import { isRespawnLoop } from './respawnLoop';
import type { FeatureShare } from './sharedEvidence';
import type { TierResult } from './sideFiles';
import { type RunEvent, type TaskRecord, unknownWorker, type WorkerRecord } from './stateDocument';
import { isHeld } from './taskStatus';
import { branchInGit, lastCommitOf } from './workerGit';
import { compareWorkerKeys, workerIdOf, workerKey } from './workerKey';

/** How a project is looked at. */
export interface FeatureLook extends WriterClock {
  readonly thresholds: FeatureThresholds;
  readonly live: LiveEvidence;
  /** The round after a sleep or a jump of the clock. */
  readonly grace: boolean;
}

/** The workers of a feature: those of its state, and those of heartbeats that were given to it (features.md §2). */
export function featureWorkers(draft: FeatureDraft, share: FeatureShare, look: FeatureLook): readonly FeatureWorker[] {
  const keys = [...new Set([...draft.workers.keys(), ...share.heartbeats.keys()])].sort(compareWorkerKeys);
  const own = groupBy([...draft.tasks.values()], ({ worker }) => workerKey(worker));
  const events = groupBy(draft.state?.events ?? [], ({ worker }) => worker);
  const logged = groupBy(draft.eventLog, ({ worker }) => worker);
  return keys.map((key) =>
    workerOf(
      {
        key,
        draft,
        share,
        record: draft.workers.get(key) ?? unknownWorker(key),
        tasks: own.get(key) ?? [],
        events: events.get(key) ?? [],
        logged: logged.get(key) ?? [],
      },
      look,
    ),
  );
}

/** Everything that is known of one worker. */
interface WorkerFacts {
  readonly key: string;
  readonly draft: FeatureDraft;
  readonly share: FeatureShare;
  readonly record: WorkerRecord;
  readonly tasks: readonly TaskRecord[];
  readonly events: readonly RunEvent[];
  /** Of the event file, whose times are UTC. */
  readonly logged: readonly RunEvent[];
}

function workerOf(facts: WorkerFacts, look: FeatureLook): FeatureWorker {
  const { key, draft, share, record } = facts;
  const file = share.heartbeats.get(key);
  const heartbeat = heartbeatOf(file, look.now);
  const containerEnd = endOfContainer(facts, look.live);
  const status = containerEnd === null ? (record.status ?? file?.value?.status ?? 'unknown') : 'crashed';
  const currentTask = record.currentTask ?? taskOfHeartbeat(facts, heartbeat, status);
  const pid = pidOf(facts, look.live);
  const { port, contextUsage } = record;
  return {
    id: workerIdOf(key),
    status,
    ...aliveness({ facts, heartbeat, status, pid }, look),
    currentTask,
    tasksCompleted: record.tasksCompleted ?? facts.tasks.filter((task) => task.status === 'complete').length,
    containerId: record.containerId?.slice(0, 12) ?? null,
    port,
    branch: record.branch ?? branchInGit(draft, key),
    lastCommit: lastCommitOf(draft, key, look),
    contextUsage,
    mode: modeOf(facts),
    heartbeat,
    respawning: isRespawning(facts, look),
    tokens: share.tokens.get(key) ?? null,
    tiers: tiersOf(facts, currentTask),
    pid,
    containerEnd,
  };
}

/** Its checks, while they are about the task that it is at. */
function tiersOf({ share, key }: WorkerFacts, currentTask: string | null): readonly TierResult[] {
  const progress = share.progress.get(key);
  return progress?.task === currentTask ? progress.tiers : [];
}

function heartbeatOf(file: HeartbeatFile | undefined, now: number): WorkerHeartbeat | null {
  const value = file?.value ?? null;
  if (file === undefined || value === null) {
    return null;
  }
  const { task, step, progressPct, currentStep, totalSteps, stepStates } = value;
  const at = utcInstant(value.at);
  const age = at === null ? null : ageSeconds(at, now);
  return { file: file.path, at, ageSeconds: age, task, step, progressPct, currentStep, totalSteps, stepStates };
}

interface AlivenessFacts {
  readonly facts: WorkerFacts;
  readonly heartbeat: WorkerHeartbeat | null;
  readonly status: string;
  readonly pid: number | null;
}

function aliveness(
  { facts, heartbeat, status, pid }: AlivenessFacts,
  look: FeatureLook,
): Pick<FeatureWorker, 'liveness' | 'processGone' | 'lastActivityAt' | 'lastActivityAgeSeconds'> {
  const { now, thresholds, grace } = look;
  const lastActivityAt = lastActivity(facts, look);
  const activityAge = lastActivityAt === null ? null : ageSeconds(lastActivityAt, now);
  const torn = facts.share.tornHeartbeats.get(facts.key);
  const tornHeartbeat = torn !== undefined && ageSeconds(torn, now) <= thresholds.silentSeconds;
  const heartbeatAge = heartbeat?.ageSeconds ?? null;
  const judged = { status, heartbeatAge, activityAge, tornHeartbeat, grace };
  const liveness = livenessOf(judged, thresholds);
  const processGone = liveness !== 'active' && liveness !== 'stopped' && pid === null && isMissed(facts, look.live);
  return {
    liveness: withProcess(liveness, { there: pid !== null, gone: processGone }),
    processGone,
    lastActivityAt,
    lastActivityAgeSeconds: activityAge,
  };
}

/** The newest sign of work beside heartbeats (features.md §2). */
function lastActivity(
  { key, draft, share, record, tasks, events, logged }: WorkerFacts,
  look: FeatureLook,
): number | null {
  const written = [
    ...tasks.flatMap(({ updatedAt, startedAt, completedAt }) => [updatedAt, startedAt, completedAt]),
    ...events.map(({ at }) => at),
  ];
  return newestOf([
    workerTime(record, look),
    ...written.map((text) => localInstant(text, look)),
    ...logged.map(({ at }) => utcInstant(at)),
    share.logActivity.get(key) ?? null,
    draft.progress.activity.get(key) ?? null,
  ]);
}

/** A heartbeat's task counts only while it is in work and its worker could be at it. */
function taskOfHeartbeat({ draft }: WorkerFacts, heartbeat: WorkerHeartbeat | null, status: string): string | null {
  const task = heartbeat?.task ?? null;
  const held = task !== null && isHeld(draft.tasks.get(task)?.status ?? '');
  return held && status !== 'stopped' && status !== 'crashed' ? task : null;
}

function modeOf({ record, events }: WorkerFacts): WorkerMode | null {
  const told = events.findLast(({ event, mode }) => event === 'worker_started' && mode !== null)?.mode ?? null;
  if (told === 'container' || record.containerId !== null) {
    return 'container';
  }
  return told === 'subprocess' ? 'subprocess' : null;
}

function isRespawning({ events }: WorkerFacts, look: FeatureLook): boolean {
  const starts = events.filter(({ event }) => event === 'worker_started').map(({ at }) => localInstant(at, look));
  return isRespawnLoop(starts.filter((at) => at !== null));
}

/** How the container of this worker ended, or the process in it went; null while it goes on, or has none. */
function endOfContainer({ draft, key }: WorkerFacts, { containers }: LiveEvidence): ContainerEnd | null {
  const own = containers?.find(({ feature, worker }) => feature === draft.name && worker === key);
  if (own === undefined || (own.state !== 'exited' && !own.unhealthy)) {
    return null;
  }
  const { exitCode, oomKilled, unhealthy } = own;
  return { exitCode, oomKilled, unhealthy };
}

/** A process that is there is quiet, not silent. */
function withProcess(
  liveness: Liveness,
  { there, gone }: { readonly there: boolean; readonly gone: boolean },
): Liveness {
  if (gone) {
    return 'crashed';
  }
  return liveness === 'silent' && there ? 'no-heartbeat' : liveness;
}

/**
 * Whether a subprocess would be seen if it lived: others of its run are. Without them the run may be on another machine,
 * or behind a wall of this one, and a process that is not seen tells nothing.
 */
function isMissed(facts: WorkerFacts, { processes }: LiveEvidence): boolean {
  return modeOf(facts) === 'subprocess' && (processes ?? []).some(({ feature }) => feature === facts.draft.name);
}

function pidOf({ draft, key }: WorkerFacts, { processes }: LiveEvidence): number | null {
  return processes?.find(({ feature, worker }) => feature === draft.name && worker === key)?.pid ?? null;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string | null): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== null) {
      const group = groups.get(key);
      if (group === undefined) {
        groups.set(key, [item]);
      } else {
        group.push(item);
      }
    }
  }
  return groups;
}
