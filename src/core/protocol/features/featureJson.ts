import type {
  FeatureEscalation,
  FeatureLevel,
  FeatureSnapshot,
  FeaturesSnapshot,
  FeatureTask,
  FeatureWorker,
  WorkerCommit,
  WorkerHeartbeat,
} from './featureSnapshot';

/**
 * What `status --json` carries of feature runs (features.md §3): the names of the protocol's fixtures, and ours beside
 * them. Ages are whole seconds, instants ISO 8601 UTC.
 */
export function featuresJson(snapshot: FeaturesSnapshot): object {
  const { thresholds } = snapshot;
  return {
    features: snapshot.features.map(featureJson),
    thresholds: {
      late_s: thresholds.lateSeconds,
      stale_s: thresholds.staleSeconds,
      silent_without_heartbeat_s: thresholds.silentSeconds,
    },
    unattributed_heartbeats: snapshot.unattributedHeartbeats,
    unattributed_escalations: snapshot.unattributedEscalations.map(escalationJson),
    project_progress: snapshot.projectProgress,
  };
}

function featureJson(feature: FeatureSnapshot): object {
  return {
    feature: feature.feature,
    source: feature.source,
    kind: feature.kind,
    phase: feature.phase,
    modes: feature.modes,
    started_at: iso(feature.startedAt),
    current_level: feature.currentLevel,
    paused: feature.paused,
    error: feature.error,
    total_tasks: feature.totalTasks,
    by_status: feature.byStatus,
    percent: feature.percent,
    stranded_tasks: feature.strandedTasks,
    worktree_state_files: feature.worktreeStateFiles,
    levels: feature.levels.map(levelJson),
    workers: feature.workers.map(workerJson),
    tasks: Object.fromEntries(feature.tasks.map((task) => [task.id, taskJson(task)])),
    unresolved_escalations: feature.escalations.filter(({ resolved }) => !resolved).map(escalationJson),
  };
}

function levelJson({ level, name, total, complete, failed, status, mergeStatus }: FeatureLevel): object {
  return { level, name, total, complete, failed, status, merge_status: mergeStatus };
}

function workerJson(worker: FeatureWorker): object {
  return {
    id: worker.id,
    status: worker.status,
    liveness: worker.liveness,
    current_task: worker.currentTask,
    tasks_completed: worker.tasksCompleted,
    container_id: worker.containerId,
    port: worker.port,
    heartbeat: worker.heartbeat === null ? null : heartbeatJson(worker.heartbeat),
    last_activity_age_s: worker.lastActivityAgeSeconds,
    branch: worker.branch,
    last_commit: worker.lastCommit === null ? null : commitJson(worker.lastCommit),
    context_usage: worker.contextUsage,
    mode: worker.mode,
    respawning: worker.respawning,
    tokens: worker.tokens,
    tier_results: worker.tiers,
    pid: worker.pid,
    process_gone: worker.processGone,
    container_end:
      worker.containerEnd === null
        ? null
        : {
            exit_code: worker.containerEnd.exitCode,
            oom_killed: worker.containerEnd.oomKilled,
            unhealthy: worker.containerEnd.unhealthy,
          },
  };
}

function heartbeatJson(heartbeat: WorkerHeartbeat): object {
  return {
    file: heartbeat.file,
    age_s: heartbeat.ageSeconds,
    task: heartbeat.task,
    step: heartbeat.step,
    progress_pct: heartbeat.progressPct,
    current_step: heartbeat.currentStep,
    total_steps: heartbeat.totalSteps,
    step_states: heartbeat.stepStates,
  };
}

function commitJson({ hash, subject, at, ageSeconds }: WorkerCommit): object {
  return { hash, subject, at: iso(at), age_s: ageSeconds };
}

function taskJson(task: FeatureTask): object {
  return {
    status: task.status,
    level: task.level,
    worker: task.worker,
    retry_count: task.retryCount,
    error: task.error,
    title: task.title,
    planned_worker: task.plannedWorker,
    next_retry_at: iso(task.nextRetryAt),
    started_at: iso(task.startedAt),
    completed_at: iso(task.completedAt),
    stranded: task.stranded,
  };
}

function escalationJson({ worker, task, category, message, at }: FeatureEscalation): object {
  return { worker, task, category, message, at: iso(at) };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
