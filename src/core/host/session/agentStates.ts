import type { AgentMoment } from '../../protocol/actors/sessionMoment';
import { spentRestarts } from '../../protocol/actors/spentRestarts';
import type { WorkerPolicy } from '../../supervisor/workerPolicy';
import { initialState, type WorkerState } from '../../supervisor/workerState';

/** Where the state machine goes on with an agent, as the log tells (actors.md §6). `now` is epoch milliseconds. */
export function stateFromLog(agent: AgentMoment | undefined, policy: WorkerPolicy, now: number): WorkerState {
  if (agent === undefined || agent.state === null) {
    return { kind: 'stopped', exit: null, wish: null };
  }
  const restarts =
    policy.restarts.kind === 'never'
      ? policy.restarts
      : { ...policy.restarts, ...spentRestarts(agent, now, policy.stableMs) };
  const { state, exit, stopBy, waitsUntil } = agent;
  const wish = stopBy === null ? null : { by: stopBy, force: false, at: Date.parse(agent.lastEventAt) };
  switch (state) {
    case 'backoff':
    case 'parked':
      return { kind: state, until: untilOf(waitsUntil, now), exit, restarts };
    case 'completed':
      return { kind: 'completed', exit };
    case 'failed':
      return { kind: 'failed', cause: exit?.class ?? 'crash', text: agent.reason, exit, restartsSpent: agent.restarts };
    case 'stopped':
      return { kind: 'stopped', exit, wish };
    default:
      return { ...initialState(restarts), wish };
  }
}

/**
 * The same for whoever leads. Where a person starts the agent there is no process of ours that could prove it alive: its
 * keeper is what runs, and must be told of a stop.
 */
export function stateToLead(agent: AgentMoment | undefined, policy: WorkerPolicy, now: number): WorkerState {
  const told = stateFromLog(agent, policy, now);
  return told.kind === 'unknown' && agent?.byHand === true
    ? { kind: 'running', process: null, health: 'ok', word: null, limitedUntil: null, restarts: told.restarts }
    : told;
}

/** A time that cannot be read is over. */
function untilOf(time: string | null, now: number): number {
  const until = Date.parse(time ?? '');
  return Number.isNaN(until) ? now : until;
}
