import type { ExitClass, ExitRecord, RequestedBy } from '../protocol/keeper/exitRecord';
import type { WorkerProcess } from '../protocol/keeper/processIdentity';
import type { StopStep } from '../protocol/keeper/stopReceipt';
import type { WorkerHealth } from '../protocol/snapshot';
import type { TerminalWord } from './workerState';

/** What can happen to a worker. */
export type WorkerHappening =
  /** A person (or the host in a person's name) wants it to run. The only way out of a stop. */
  | { readonly kind: 'startRequested' }
  /** Its process exists. */
  | { readonly kind: 'spawned'; readonly process: WorkerProcess | null }
  /** It gave its first sign of readiness. */
  | { readonly kind: 'becameReady' }
  /** No process came to be; `text` ends in what the person can do. */
  | { readonly kind: 'spawnFailed'; readonly cause: ExitClass; readonly text: string }
  /** No sign of readiness in time. */
  | { readonly kind: 'readyTimeout' }
  /** Its keeper recorded the exit. */
  | { readonly kind: 'exited'; readonly exit: ExitRecord }
  /** Its status.json holds a terminal word. */
  | { readonly kind: 'wordHeard'; readonly word: TerminalWord }
  /** A person wants it to end. Repeated, the ladder skips to its next step. */
  | { readonly kind: 'stopRequested'; readonly by: RequestedBy; readonly force: boolean }
  /** The stop took longer than the whole ladder may. */
  | { readonly kind: 'graceElapsed' }
  /** The keeper took a step of its ladder. */
  | { readonly kind: 'stopStepTaken'; readonly step: StopStep }
  /** It ran long enough to forget earlier restarts. */
  | { readonly kind: 'stableElapsed' }
  /** The wait before a restart is over. */
  | { readonly kind: 'backoffElapsed' }
  /** The engine was told to wait; `until` is epoch ms, null when nobody said. */
  | { readonly kind: 'rateLimited'; readonly until: number | null }
  /** The rate limit's wait is over. */
  | { readonly kind: 'parkElapsed' }
  /** What its signs of life look like now. Never a reason to kill. */
  | { readonly kind: 'healthSeen'; readonly health: WorkerHealth }
  /** Another leader owns it, or the machine does not let us look. */
  | { readonly kind: 'ownershipLost' }
  /** Its process was identified by pid and start time, and lives. */
  | { readonly kind: 'provenAlive'; readonly process: WorkerProcess }
  /** Its process is gone; `exit` is what was recorded, null when nobody saw it end. */
  | { readonly kind: 'provenDead'; readonly exit: ExitRecord | null };

/** A happening with its wall time, epoch ms. */
export type WorkerEvent = WorkerHappening & { readonly at: number };
