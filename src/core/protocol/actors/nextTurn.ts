import type { HandoffSignal } from './handoffSignal';
import { unknownAgentText } from './sessionTexts';

/** What is known when an agent's turn is over, because it ended by itself without a crash or handed over. */
export interface TurnEnd {
  readonly agent: string;
  /** How many turns there were, this one included; a crash begins no new one. */
  readonly iteration: number;
  readonly maxIterations: number | null;
  readonly agents: readonly string[];
  /** From the file, else from the output; null where there was none. */
  readonly signal: HandoffSignal | null;
}

/** What follows a turn. A trouble is for the person and ends in what to do. */
export type NextTurn =
  | { readonly kind: 'turn'; readonly agent: string; readonly context: string; readonly iteration: number }
  | { readonly kind: 'completed' }
  | { readonly kind: 'max_iterations_reached' }
  | { readonly kind: 'failed'; readonly trouble: string };

/** Decides who is next in a sequential session (actors.md §7). Any agent of the configuration may be. */
export function nextTurn({ agent, iteration, maxIterations, agents, signal }: TurnEnd): NextTurn {
  if (signal === null) {
    return {
      kind: 'failed',
      trouble: `${agent} left without naming who is next. Start the session again, or mend its prompt.`,
    };
  }
  if (signal.kind === 'complete') {
    return { kind: 'completed' };
  }
  if (!agents.includes(signal.target)) {
    const trouble = `${agent} handed over to nobody. ${unknownAgentText(signal.target, agents)}`;
    return { kind: 'failed', trouble };
  }
  return maxIterations !== null && iteration >= maxIterations
    ? { kind: 'max_iterations_reached' }
    : { kind: 'turn', agent: signal.target, context: signal.context, iteration: iteration + 1 };
}
