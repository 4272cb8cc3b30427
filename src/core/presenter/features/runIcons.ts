import type {
  FeaturePhase,
  FeatureTask,
  FeatureWorker,
  LevelStatus,
  Liveness,
} from '../../protocol/features/featureSnapshot';
import type { Icon } from '../workerIcon';

const WARNING = 'list.warningForeground';
const FAILED: Icon = { name: 'error', color: 'testing.iconFailed' };
const PASSED: Icon = { name: 'pass', color: 'testing.iconPassed' };
const RUNNING: Icon = { name: 'play-circle', color: 'charts.green' };
const NOT_YET: Icon = { name: 'circle-outline', color: null };
const PAUSED: Icon = { name: 'debug-pause', color: 'charts.blue' };
/** Not `clock`, which VS Code draws like `history`. */
const WAITING: Icon = { name: 'ellipsis', color: null };
const UNKNOWN: Icon = { name: 'question', color: WARNING };
const BLOCKED: Icon = { name: 'stop', color: WARNING };
const LOST: Icon = { name: 'warning', color: WARNING };

const PHASES: Readonly<Record<FeaturePhase, Icon>> = {
  unreadable: UNKNOWN,
  designed: NOT_YET,
  complete: PASSED,
  complete_with_failures: FAILED,
  paused: PAUSED,
  orphaned: LOST,
  executing: { name: 'rocket', color: 'charts.green' },
};

const LEVELS: Readonly<Record<LevelStatus, Icon>> = {
  conflict: { name: 'git-merge', color: WARNING },
  merge_failed: { name: 'git-merge', color: 'testing.iconFailed' },
  complete: PASSED,
  complete_with_failures: FAILED,
  running: RUNNING,
  pending: NOT_YET,
  unknown: UNKNOWN,
};

const LIVENESSES: Readonly<Record<Liveness, Icon | null>> = {
  active: null,
  'no-heartbeat': null,
  late: { name: 'watch', color: WARNING },
  stale: LOST,
  silent: UNKNOWN,
  stopped: { name: 'circle-slash', color: 'disabledForeground' },
  crashed: FAILED,
};

const WORKERS: Readonly<Record<string, Icon>> = {
  initializing: WAITING,
  ready: WAITING,
  idle: WAITING,
  running: RUNNING,
  checkpointing: { name: 'save', color: 'charts.green' },
  stopping: { name: 'stop-circle', color: WARNING },
  blocked: BLOCKED,
  stalled: { name: 'watch', color: WARNING },
};

const TASKS: Readonly<Record<string, Icon>> = {
  todo: NOT_YET,
  pending: NOT_YET,
  claimed: RUNNING,
  in_progress: RUNNING,
  verifying: { name: 'beaker', color: 'charts.green' },
  complete: PASSED,
  failed: FAILED,
  blocked: BLOCKED,
  paused: PAUSED,
  waiting_retry: { name: 'history', color: WARNING },
};

/** The icon of a feature's row. */
export function phaseIcon(phase: FeaturePhase): Icon {
  return PHASES[phase];
}

/** The icon of a level's row. */
export function levelIcon(status: LevelStatus): Icon {
  return LEVELS[status];
}

/** The icon of a worker's row: what endangers it first, then what it does. */
export function runWorkerIcon({ liveness, status, respawning }: FeatureWorker): Icon {
  const endangered = LIVENESSES[liveness];
  if (endangered === null && respawning) {
    return { name: 'sync', color: WARNING };
  }
  return endangered ?? WORKERS[status] ?? UNKNOWN;
}

/** The icon of a task's row; one that nobody works on any more shows that first. */
export function taskIcon({ status, stranded }: FeatureTask): Icon {
  return stranded ? LOST : (TASKS[status] ?? UNKNOWN);
}
