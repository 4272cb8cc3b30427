import { neverRestart, type RestartPolicy } from './restartPolicy';

/** The numbers that `transition` decides with. Durations are milliseconds. */
export interface WorkerPolicy {
  readonly restarts: RestartPolicy;
  /** From the spawn to the first sign of readiness; null when a spawned process counts as ready (lifecycle §4). */
  readonly readyMs: number | null;
  /** After this time in `running` the restarts in a row are forgotten. */
  readonly stableMs: number;
  /** The keeper's whole stop ladder with a margin; then the supervisor presses on. */
  readonly stopMs: number;
  /** How long a rate-limited worker is parked when nobody said until when. */
  readonly parkMs: number;
}

/** Background workers: ready once spawned, never restarted under their own id (workers.md §4.9). */
export const backgroundPolicy: WorkerPolicy = {
  restarts: neverRestart,
  readyMs: null,
  stableMs: 60_000,
  stopMs: 150_000,
  parkMs: 5 * 60_000,
};

/** Added to the ladder's own time: looking at the tree between the steps, on a machine under load. */
const STOP_MARGIN_MS = 25_000;

/** The policy of a background worker whose keeper runs a ladder with these graces, milliseconds. */
export function policyOf(ladder: { readonly graceMs: number; readonly termGraceMs: number }): WorkerPolicy {
  return { ...backgroundPolicy, stopMs: ladder.graceMs + ladder.termGraceMs + STOP_MARGIN_MS };
}
