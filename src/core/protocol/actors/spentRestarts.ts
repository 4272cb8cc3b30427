import type { AgentMoment } from './sessionMoment';

/**
 * What an agent has spent of its restarts at this moment (actors.md §6): none in a row once it has been healthy for
 * `resetAfterMs`, while the times of the newest go on counting against storms. Times are epoch milliseconds.
 */
export function spentRestarts(
  agent: Pick<AgentMoment, 'state' | 'readyAt' | 'restarts' | 'restartedAt'>,
  now: number,
  resetAfterMs: number,
): { readonly used: number; readonly recent: readonly number[] } {
  const { state, readyAt, restarts, restartedAt } = agent;
  const healthyMs = state === 'running' && readyAt !== null ? now - Date.parse(readyAt) : 0;
  return {
    used: healthyMs >= resetAfterMs ? 0 : restarts,
    recent: restartedAt.map((at) => Date.parse(at)).filter((at) => !Number.isNaN(at)),
  };
}
