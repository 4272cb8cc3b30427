import { backoffPolicy, type RestartPolicy } from './restartPolicy';
import type { WorkerPolicy } from './workerPolicy';

/** How one agent is supervised; null leaves a number at that of actors.md §6. */
export interface AgentRules {
  readonly maxRestarts: number | null;
  readonly backoffSeconds: readonly number[] | null;
  readonly resetAfterMinutes: number | null;
  /** From the spawn to the first connection, milliseconds; null for an agent that a person starts by hand. */
  readonly connectMs: number | null;
  readonly graceMs: number;
  readonly termGraceMs: number;
}

export const DEFAULT_MAX_RESTARTS = 3;
const MINUTE_MS = 60_000;
const RESET_AFTER_MS = 10 * MINUTE_MS;
const PARK_MS = 5 * MINUTE_MS;
/** The keeper ends what does not connect; this is for a keeper that does not. Also added to the ladder's own time. */
const MARGIN_MS = 25_000;

/** The numbers that `transition` decides with for an agent (actors.md §6), nothing of its restarts spent. */
export function agentPolicy(rules: AgentRules): WorkerPolicy {
  const { maxRestarts, backoffSeconds, resetAfterMinutes, connectMs, graceMs, termGraceMs } = rules;
  const plain = backoffPolicy(maxRestarts ?? DEFAULT_MAX_RESTARTS);
  const delays = backoffSeconds === null ? {} : { delaysMs: backoffSeconds.map((seconds) => seconds * 1000) };
  const restarts: RestartPolicy = plain.kind === 'never' ? plain : { ...plain, ...delays };
  return {
    restarts,
    readyMs: connectMs === null ? null : connectMs + MARGIN_MS,
    stableMs: resetAfterMinutes === null ? RESET_AFTER_MS : resetAfterMinutes * MINUTE_MS,
    stopMs: graceMs + termGraceMs + MARGIN_MS,
    parkMs: PARK_MS,
  };
}
