import { agentEndEvent } from '../../protocol/actors/agentEndEvent';
import type { SessionEvent } from '../../protocol/actors/sessionEvent';
import type { AgentMoment } from '../../protocol/actors/sessionMoment';
import { gaveUpText } from '../../protocol/actors/sessionTexts';
import type { ExitRecord } from '../../protocol/keeper/exitRecord';
import type { AgentMove } from '../../supervisor/agentKeeperDeps';
import type { WorkerState } from '../../supervisor/workerState';

/** What is known beside the change itself. */
export interface MoveContext {
  /** The end of its output, display-safe; empty where there is none. */
  readonly lastLine: string;
  readonly sameEnd: AgentMoment['sameEnd'];
}

/** What the session's log is told of a change of an agent's state (actors.md §6). */
export function eventsOfMove(agent: string, move: AgentMove, context: MoveContext): readonly SessionEvent[] {
  const { from, to, happening } = move;
  if (from.kind === to.kind) {
    return [];
  }
  switch (happening.kind) {
    case 'stopRequested':
      return stopEvents(agent, from, happening.by);
    case 'exited':
    case 'provenDead':
      return endEvents(agent, to, endOf(agent, to, happening.exit, context), context);
    case 'spawnFailed': {
      const failed = { agent, exitCode: null, reason: happening.text };
      return endEvents(agent, to, { type: 'AgentCrashed', data: failed }, context);
    }
    default:
      return to.kind === 'running' ? startEvents(agent, to) : [];
  }
}

function startEvents(agent: string, { process }: Extract<WorkerState, { kind: 'running' }>): readonly SessionEvent[] {
  return process === null
    ? []
    : [{ type: 'AgentStarted', data: { agent, pid: process.pid, startTime: process.startTime } }];
}

function stopEvents(agent: string, from: WorkerState, by: string): readonly SessionEvent[] {
  const waits = from.kind === 'backoff' || from.kind === 'parked';
  return [{ type: waits ? 'AgentRestartCancelled' : 'AgentStopRequested', data: { agent, by } }];
}

type EndEvent = ReturnType<typeof agentEndEvent>;

/** Once a stop was asked for every end is what was asked for. */
function endOf(agent: string, to: WorkerState, exit: ExitRecord | null, { lastLine }: MoveContext): EndEvent {
  if (to.kind === 'stopped' || to.kind === 'completed') {
    const recorded = exit === null ? {} : { exit };
    return { type: 'AgentExited', data: { agent, exitCode: exit?.code ?? null, ...recorded } };
  }
  return agentEndEvent(agent, exit, lastLine);
}

function endEvents(agent: string, to: WorkerState, end: EndEvent, context: MoveContext): readonly SessionEvent[] {
  switch (to.kind) {
    case 'backoff': {
      const attempt = to.restarts.kind === 'never' ? 1 : to.restarts.used;
      return [end, { type: 'AgentRestartScheduled', data: { agent, attempt, at: new Date(to.until).toISOString() } }];
    }
    case 'parked':
      return [end, { type: 'AgentParked', data: { agent, until: new Date(to.until).toISOString() } }];
    case 'failed':
      return to.restartsSpent === 0 ? [end] : [end, gaveUp(agent, to.restartsSpent, end, context)];
    default:
      return [end];
  }
}

function gaveUp(agent: string, restarts: number, { data }: EndEvent, { lastLine, sameEnd }: MoveContext): SessionEvent {
  const { exitCode } = data;
  const isSame = sameEnd !== null && sameEnd.exitCode === exitCode && sameEnd.lastLine === lastLine;
  const times = isSame ? sameEnd.times + 1 : 1;
  return { type: 'AgentGaveUp', data: { agent, reason: gaveUpText(agent, restarts, { exitCode, lastLine, times }) } };
}
