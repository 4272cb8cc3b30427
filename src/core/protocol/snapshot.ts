import type { SessionSnapshot } from './actors/sessionSnapshot';
import type { EngineSnapshot } from './engines/engineSnapshot';
import type { FleetFuse } from './fleetFuse';
import type { ExitRecord } from './keeper/exitRecord';
import type { FuseRecord } from './keeper/fuse';
import type { IsolationRecord } from './keeper/isolationRecord';
import type { StopReceipt } from './keeper/stopReceipt';
import type { ConfigDiagnostic } from './config/configModel';
import type { QueuedStart } from './workers/queueDocument';
import type { Progress, RegistryEntry } from './workers/registryEntry';
import type { Suggestion } from './workers/triggers';

/** What the process does (lifecycle §3). `status` in the registry is the protocol's word; the two may differ. */
export const workerStateKinds = [
  'starting',
  'running',
  'stopping',
  'backoff',
  'parked',
  'completed',
  'failed',
  'stopped',
  'unknown',
] as const;
export type WorkerStateKind = (typeof workerStateKinds)[number];

export type WorkerHealth = 'ok' | 'late' | 'silent' | 'stale' | 'flooding';

/** What a person must do about a worker. */
export interface Attention {
  readonly kind: 'failed' | 'unreadable' | 'violation' | 'fuse' | 'question' | 'permission' | 'blocked' | 'gave-up';
  readonly text: string;
}

export type EvidenceSource =
  | 'event log'
  | 'mailbox'
  | 'isolation'
  | 'keeper'
  | 'process'
  | 'exit record'
  | 'status.json'
  | 'registry'
  | 'stop flag'
  | 'folder';

/** One answer to "why this status?": who says what, and when it was true (epoch ms, null when not known). */
export interface Evidence {
  readonly source: EvidenceSource;
  readonly says: string;
  readonly at: number | null;
}

/** One worker, complete and immutable. Times ending in `At` are epoch milliseconds. */
export interface WorkerSnapshot {
  readonly workerId: string;
  readonly entry: RegistryEntry;
  readonly state: WorkerStateKind;
  readonly health: WorkerHealth;
  readonly attention: Attention | null;
  readonly progress: Progress | null;
  readonly error: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** In `backoff`: when another worker is started in its place. In `parked`: when it goes on itself. */
  readonly nextStartAt: number | null;
  /** Whether a person may have another worker started in its place. */
  readonly canRetry: boolean;
  readonly lastSeenAt: number | null;
  readonly pid: number | null;
  /** True when a keeper of ours stands behind it. */
  readonly owned: boolean;
  readonly exit: ExitRecord | null;
  readonly stop: StopReceipt | null;
  /** How the run was kept from what it may not write, and what was found; null where no keeper of ours says so. */
  readonly isolation: IsolationRecord | null;
  /** Its fuses and what they measured; null where no keeper of ours says so. */
  readonly fuses: FuseRecord | null;
  /** What its output tells; null for workers that ask no model. */
  readonly engine: EngineSnapshot | null;
  /** Why this row cannot be read properly, or null. */
  readonly problem: string | null;
  /** What of it a person has put off: until when by the item's id, epoch milliseconds; none that is back. */
  readonly snoozed: Readonly<Record<string, number>>;
  /** Names of the files in `output/`, sorted. */
  readonly outputs: readonly string[];
  /** Absolute paths, derived from the worker id. */
  readonly folder: string;
  readonly logFile: string;
  readonly evidence: readonly Evidence[];
}

/** A trouble that belongs to no single worker, e.g. a registry that cannot be parsed. */
export interface FleetProblem {
  readonly code:
    | 'registry-corrupt'
    | 'registry-version'
    | 'registry-unreadable'
    | 'unsafe-root'
    | 'config'
    | 'read-only';
  readonly message: string;
}

export interface LeaderSnapshot {
  readonly pid: number;
  readonly surface: string;
  /** ISO 8601 UTC. */
  readonly since: string;
  readonly epoch: number;
  /** True in the process that leads. */
  readonly self: boolean;
}

/** When a type starts by itself. Times are epoch milliseconds. */
export interface ScheduleSnapshot {
  readonly type: string;
  readonly cron: string;
  /** The next tick; null where the expression names a day that never comes. */
  readonly nextAt: number | null;
  /** When the schedule last started a worker, or null. */
  readonly lastAt: number | null;
  /** False while no process leads the root: then nothing starts by itself. */
  readonly active: boolean;
  /** A tick is due and waits for a free slot. */
  readonly waiting: boolean;
}

/** Everything a surface shows about one root, at one instant. */
export interface FleetSnapshot {
  /** Epoch ms of the look. */
  readonly at: number;
  readonly root: string;
  readonly leader: LeaderSnapshot | null;
  readonly maxConcurrent: number;
  /** In the registry's order. */
  readonly workers: readonly WorkerSnapshot[];
  readonly problems: readonly FleetProblem[];
  /** The fuses of the whole project that are blown; those of workers are in their rows. */
  readonly fuses: readonly FleetFuse[];
  /** Starts that wait for a free slot, oldest first. */
  readonly queue: readonly QueuedStart[];
  /** In the order of `.vscode/workers.json`. */
  readonly schedules: readonly ScheduleSnapshot[];
  /** What may be worth a start; nothing starts before a person says so. */
  readonly suggestions: readonly Suggestion[];
  /** What is wrong in `.vscode/workers.json`, in the order of the file. */
  readonly configDiagnostics: readonly ConfigDiagnostic[];
  /** The session agents, or null where there are none and never were. */
  readonly session: SessionSnapshot | null;
}
