import type { StateKind } from './stateDocument';
import type { TierResult } from './sideFiles';
import type { ProjectProgress } from './featureSources';
import type { WorkerIdValue } from './workerKey';

/** When a heartbeat counts as late and stale, and a worker without one as silent; whole seconds. */
export interface FeatureThresholds {
  readonly lateSeconds: number;
  readonly staleSeconds: number;
  readonly silentSeconds: number;
}

export const defaultThresholds: FeatureThresholds = { lateSeconds: 30, staleSeconds: 120, silentSeconds: 600 };

/** What a feature is known from: a shape of its state, else what stands in for one. */
export type FeatureKind = StateKind | 'progress-md' | 'claude-tasks' | 'designed' | 'unreadable';

/** Of a whole feature, in the order in which they are asked (features.md §2). */
export type FeaturePhase =
  | 'unreadable'
  | 'designed'
  | 'complete'
  | 'complete_with_failures'
  | 'paused'
  | 'orphaned'
  | 'executing';

export type LevelStatus =
  | 'conflict'
  | 'merge_failed'
  | 'complete'
  | 'complete_with_failures'
  | 'running'
  | 'pending'
  | 'unknown';

export type Liveness = 'active' | 'late' | 'stale' | 'silent' | 'no-heartbeat' | 'stopped' | 'crashed';

export type WorkerMode = 'subprocess' | 'container' | 'task agents';

/** One task. Instants are epoch milliseconds. */
export interface FeatureTask {
  readonly id: string;
  readonly title: string | null;
  /** A state's word, verbatim; `unknown` where nothing readable says one. */
  readonly status: string;
  readonly level: number | null;
  /** As the file writes it. */
  readonly worker: WorkerIdValue | null;
  /** The worker that it was planned for. */
  readonly plannedWorker: WorkerIdValue | null;
  readonly retryCount: number;
  readonly nextRetryAt: number | null;
  readonly error: string | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly stranded: boolean;
}

export interface FeatureLevel {
  readonly level: number;
  readonly name: string | null;
  readonly total: number;
  /** Null where nothing readable says it. */
  readonly complete: number | null;
  readonly failed: number | null;
  readonly status: LevelStatus;
  readonly mergeStatus: string | null;
}

export interface WorkerHeartbeat {
  readonly file: string;
  readonly at: number | null;
  readonly ageSeconds: number | null;
  readonly task: string | null;
  readonly step: string | null;
  readonly progressPct: number | null;
  readonly currentStep: number | null;
  readonly totalSteps: number | null;
  readonly stepStates: readonly string[] | null;
}

/** The last commit of a worker. */
export interface WorkerCommit {
  /** 7 characters. */
  readonly hash: string;
  readonly subject: string;
  readonly at: number;
  readonly ageSeconds: number;
}

/** How a worker's container ended, where that is how its end is known. */
export interface ContainerEnd {
  readonly exitCode: number | null;
  readonly oomKilled: boolean;
  readonly unhealthy: boolean;
}

/** One worker of a feature. Instants are epoch milliseconds. */
export interface FeatureWorker {
  readonly id: WorkerIdValue;
  /** A state's word, verbatim; `unknown` where nothing says one. */
  readonly status: string;
  readonly liveness: Liveness;
  readonly currentTask: string | null;
  readonly tasksCompleted: number;
  /** 12 characters. */
  readonly containerId: string | null;
  readonly port: number | null;
  readonly branch: string | null;
  /** The newest that the project's repository knows of this run. */
  readonly lastCommit: WorkerCommit | null;
  /** 0 to 1. */
  readonly contextUsage: number | null;
  readonly mode: WorkerMode | null;
  readonly heartbeat: WorkerHeartbeat | null;
  readonly lastActivityAt: number | null;
  readonly lastActivityAgeSeconds: number | null;
  /** Started three times or more within 30 seconds. */
  readonly respawning: boolean;
  readonly tokens: number | null;
  /** The checks of its current task. */
  readonly tiers: readonly TierResult[];
  readonly pid: number | null;
  /** Whether its process is gone while others of its run are seen on this machine. */
  readonly processGone: boolean;
  readonly containerEnd: ContainerEnd | null;
}

export interface FeatureEscalation {
  readonly worker: WorkerIdValue | null;
  readonly task: string | null;
  readonly category: string | null;
  readonly message: string | null;
  readonly at: number | null;
  readonly resolved: boolean;
}

/** One feature, complete and immutable. */
export interface FeatureSnapshot {
  readonly feature: string;
  /** The file or list that it is known from first; null where it is only designed. */
  readonly source: string | null;
  readonly kind: FeatureKind;
  readonly phase: FeaturePhase;
  readonly modes: readonly WorkerMode[];
  readonly currentLevel: number | null;
  readonly paused: boolean;
  readonly error: string | null;
  readonly startedAt: number | null;
  /** Null where a graph that is there cannot be read and nothing else says it. */
  readonly totalTasks: number | null;
  readonly byStatus: Readonly<Record<string, number>>;
  /** 0 to 100; null where it cannot be known. */
  readonly percent: number | null;
  readonly strandedTasks: readonly string[];
  readonly worktreeStateFiles: readonly string[];
  readonly levels: readonly FeatureLevel[];
  readonly workers: readonly FeatureWorker[];
  /** In the graph's order. */
  readonly tasks: readonly FeatureTask[];
  /** Oldest first. */
  readonly escalations: readonly FeatureEscalation[];
}

/** All features of one project at one instant. */
export interface FeaturesSnapshot {
  /** Epoch milliseconds that ages are counted to. */
  readonly at: number;
  readonly thresholds: FeatureThresholds;
  /** By name. */
  readonly features: readonly FeatureSnapshot[];
  /** The feature that was last worked on, as the project says; it may be none of `features`. */
  readonly currentFeature: string | null;
  /** Files of heartbeats that could not be given to one feature. */
  readonly unattributedHeartbeats: readonly string[];
  readonly unattributedEscalations: readonly FeatureEscalation[];
  /** Only where there is no feature at all; it belongs to none. */
  readonly projectProgress: ProjectProgress | null;
  readonly diagnostics: readonly string[];
}
