import {
  defaultThresholds,
  type FeatureSnapshot,
  type FeaturesSnapshot,
  type FeatureTask,
  type FeatureWorker,
  type WorkerHeartbeat,
} from '../../src/core/protocol/features/featureSnapshot';
import { START } from './snapshots';

/** At `START` four seconds old. */
export const heartbeat: WorkerHeartbeat = {
  file: '.zerg/state/heartbeat-0.json',
  at: START - 4_000,
  ageSeconds: 4,
  task: 'A-1',
  step: 'implementing',
  progressPct: 59.6,
  currentStep: null,
  totalSteps: null,
  stepStates: null,
};

/** Runs, and beat four seconds before `START`. */
export const worker: FeatureWorker = {
  id: 0,
  status: 'running',
  liveness: 'active',
  currentTask: 'A-1',
  tasksCompleted: 2,
  containerId: null,
  port: null,
  branch: null,
  lastCommit: null,
  contextUsage: 0.724,
  mode: 'subprocess',
  heartbeat,
  lastActivityAt: null,
  lastActivityAgeSeconds: 90,
  respawning: false,
  tokens: 5400,
  tiers: [],
  pid: null,
  processGone: false,
  containerEnd: null,
};

export const task: FeatureTask = {
  id: 'A-1',
  title: 'Define types',
  status: 'in_progress',
  level: 1,
  worker: 0,
  plannedWorker: null,
  retryCount: 0,
  nextRetryAt: null,
  error: null,
  startedAt: null,
  completedAt: null,
  stranded: false,
};

/** Under way: one task of four is done, one is worked on. */
export const feature: FeatureSnapshot = {
  feature: 'auth',
  source: '.zerg/state/auth.json',
  kind: 'state',
  phase: 'executing',
  modes: ['subprocess'],
  currentLevel: 1,
  paused: false,
  error: null,
  startedAt: null,
  totalTasks: 4,
  byStatus: { complete: 1, in_progress: 1, pending: 2 },
  percent: 25,
  strandedTasks: [],
  worktreeStateFiles: [],
  levels: [
    { level: 1, name: 'foundation', total: 3, complete: 1, failed: 0, status: 'running', mergeStatus: null },
    { level: 2, name: null, total: 1, complete: 0, failed: 0, status: 'pending', mergeStatus: null },
  ],
  workers: [worker],
  tasks: [task],
  escalations: [],
};

/** What a project shows at `START` with these features. */
export function featuresSnapshot(
  features: readonly FeatureSnapshot[],
  changes: Partial<FeaturesSnapshot> = {},
): FeaturesSnapshot {
  return {
    at: START,
    thresholds: defaultThresholds,
    features,
    currentFeature: null,
    unattributedHeartbeats: [],
    unattributedEscalations: [],
    projectProgress: null,
    diagnostics: [],
    ...changes,
  };
}
