import type { ExitClass, ExitRecord, RequestedBy } from '../protocol/keeper/exitRecord';
import type { WorkerProcess } from '../protocol/keeper/processIdentity';
import type { StopStep } from '../protocol/keeper/stopReceipt';
import type { WorkerHealth } from '../protocol/snapshot';
import type { RestartPolicy } from './restartPolicy';

/** A worker's own last word about itself. */
export type TerminalWord = 'completed' | 'failed' | 'stopped';

/** A person's stop. Once there, only the person's start takes it away (lifecycle §5). */
export interface StopWish {
  readonly by: RequestedBy;
  readonly force: boolean;
  /** Epoch ms. */
  readonly at: number;
}

/** Why nothing is known: nobody looked yet, it is not ours to judge, or it is gone and nobody saw how. */
export type UnknownReason = 'not looked at' | 'not ours' | 'exit unseen';

/** Where one worker is now (lifecycle §3). Each member owns the facts that only make sense there. */
export type WorkerState =
  /** A process is being made, or was made and gave no sign of readiness yet. */
  | {
      readonly kind: 'starting';
      readonly process: WorkerProcess | null;
      readonly health: WorkerHealth;
      readonly word: TerminalWord | null;
      readonly limitedUntil: number | null;
      readonly restarts: RestartPolicy;
    }
  /** Its process lives and works. */
  | {
      readonly kind: 'running';
      readonly process: WorkerProcess | null;
      readonly health: WorkerHealth;
      readonly word: TerminalWord | null;
      readonly limitedUntil: number | null;
      readonly restarts: RestartPolicy;
    }
  /** The stop ladder runs: for a person (`wish`), or because the worker never became ready (null). */
  | {
      readonly kind: 'stopping';
      readonly process: WorkerProcess | null;
      readonly wish: StopWish | null;
      readonly step: StopStep;
      readonly word: TerminalWord | null;
      readonly restarts: RestartPolicy;
    }
  /** Ended by itself; starts again at `until` (epoch ms). */
  | {
      readonly kind: 'backoff';
      readonly until: number;
      readonly exit: ExitRecord | null;
      readonly restarts: RestartPolicy;
    }
  /** Rate limited; goes on at `until` (epoch ms) without spending a restart. */
  | {
      readonly kind: 'parked';
      readonly until: number;
      readonly exit: ExitRecord | null;
      readonly restarts: RestartPolicy;
    }
  /** Ended well, or says so itself. */
  | { readonly kind: 'completed'; readonly exit: ExitRecord | null }
  /** Ended badly by an observed exit or by its own word; never guessed. */
  | {
      readonly kind: 'failed';
      readonly cause: ExitClass | 'own word';
      /** What a person reads when there was no exit to name; null otherwise. */
      readonly text: string | null;
      readonly exit: ExitRecord | null;
      /** Restarts that were spent before it was given up; 0 when none was due. */
      readonly restartsSpent: number;
    }
  /** Ended because it was asked to; stays so until the person starts it. */
  | { readonly kind: 'stopped'; readonly exit: ExitRecord | null; readonly wish: StopWish | null }
  /** A real state: nothing can be said truthfully. */
  | {
      readonly kind: 'unknown';
      readonly reason: UnknownReason;
      /** An exit of which only the fact is known, or null. */
      readonly exit: ExitRecord | null;
      readonly wish: StopWish | null;
      readonly word: TerminalWord | null;
      readonly restarts: RestartPolicy;
    };

/** The member of `WorkerState` with this kind. */
export type StateOf<K extends WorkerState['kind']> = Extract<WorkerState, { kind: K }>;

/** Before anybody looked. */
export function initialState(restarts: RestartPolicy): StateOf<'unknown'> {
  return { kind: 'unknown', reason: 'not looked at', exit: null, wish: null, word: null, restarts };
}

/** True for the states that end a worker's course unless a person starts it again. */
export function isEnd(state: WorkerState): boolean {
  return (
    state.kind === 'completed' ||
    state.kind === 'failed' ||
    state.kind === 'stopped' ||
    (state.kind === 'unknown' && state.reason === 'exit unseen')
  );
}
