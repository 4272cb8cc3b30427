import { asciiJson } from '../events/asciiJson';
import { isRecord, readJson } from '../events/jsonGuards';
import type { TurnMoment } from './sessionMoment';

/** A log of hand-overs keeps the newest of them. */
const HANDOFFS_KEPT = 1_000;

export interface Handoff {
  /** Null at the first turn. */
  readonly from: string | null;
  readonly to: string;
  readonly context: string;
  readonly reason: string;
  /** ISO 8601 UTC. */
  readonly timestamp: string;
}

/** `pending-handoff.json`, for the agent whose turn begins (actors.md §7). `sessionDir` as the agent can open it. */
export function pendingHandoffText({ from, to, context, timestamp }: Handoff, sessionDir: string): string {
  const head = from === null ? '' : `## Handoff from ${from}\n\n${context}\n\n---\n`;
  const files = ['current-task.json', 'coordinator-state.json'].map((name) => `${sessionDir}/${name}`);
  const pointer = `The task is in ${files.join(', the state of the session in ')}.\n`;
  return `${asciiJson({ targetAgent: to, context: `${head}${pointer}`, timestamp })}\n`;
}

/** `handoff-log.json` with one hand-over more; `before` is its text so far, null without one. */
export function handoffLogText(before: string | null, sessionId: string, handoff: Handoff): string {
  const { timestamp, from, to, reason, context } = handoff;
  const entry = { timestamp, from, to, reason, context };
  const handoffs = [...handoffsIn(before, sessionId), entry].slice(-HANDOFFS_KEPT);
  return `${asciiJson({ sessionId, handoffs })}\n`;
}

/** Those of this session; a log that cannot be read, or is of another session, begins anew. */
function handoffsIn(text: string | null, sessionId: string): readonly unknown[] {
  const log = recordIn(text);
  const handoffs = log['sessionId'] === sessionId ? log['handoffs'] : null;
  return Array.isArray(handoffs) ? (handoffs as unknown[]) : [];
}

export interface CoordinatorState {
  readonly sessionId: string;
  readonly startedAt: string;
  readonly turn: Omit<TurnMoment, 'since'>;
  /** The text of `current-task.json`, null without one. */
  readonly currentTask: string | null;
}

/** `coordinator-state.json`. What agents wrote into it besides, such as their stats, stays; `before` as above. */
export function coordinatorStateText(before: string | null, state: CoordinatorState): string {
  const { sessionId, startedAt, turn, currentTask } = state;
  const kept = recordIn(before);
  const stats = isRecord(kept['stats']) ? kept['stats'] : {};
  const task = recordIn(currentTask);
  const document = {
    ...kept,
    sessionId,
    startedAt,
    maxIterations: turn.maxIterations,
    iteration: turn.iteration,
    status: turn.status,
    orchestrationMode: 'single-agent',
    currentAgent: turn.agent,
    currentTask: Object.keys(task).length === 0 ? (kept['currentTask'] ?? null) : task,
    stats,
  };
  return `${asciiJson(document)}\n`;
}

function recordIn(text: string | null): Readonly<Record<string, unknown>> {
  const value = text === null ? null : readJson(text.replace(/^\uFEFF/, ''));
  return isRecord(value) ? value : {};
}
