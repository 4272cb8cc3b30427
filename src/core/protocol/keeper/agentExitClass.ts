import { classifyExit, type ExitEvidence } from './exitClass';
import type { ExitClass } from './exitRecord';

/** With this an agent says that it was told to shut down (the document's exit conditions). */
const SHUT_DOWN = 42;

export interface AgentExitEvidence extends Omit<ExitEvidence, 'terminalWord'> {
  /** Its process connected at least once. */
  readonly connected: boolean;
  /** Its keeper ended it, because it did not connect in time or could never hear anything again; else null. */
  readonly endedFor: 'never connected' | 'lost' | null;
}

/** It left of its own will, by the document's exit conditions: what it was doing is done. */
export function isOwnLeave(code: number | null): boolean {
  return code === 0 || code === SHUT_DOWN;
}

/** The class of an agent's end, by its evidence (lifecycle §4, actors.md §6). */
export function classifyAgentExit({ connected, endedFor, ...evidence }: AgentExitEvidence): ExitClass {
  if (evidence.stopRequested || evidence.code === SHUT_DOWN) {
    return 'asked to stop';
  }
  if (endedFor !== null) {
    return endedFor === 'lost' ? 'crash' : 'never started';
  }
  if (evidence.code === 0 && !connected) {
    return 'exit 0 unconnected';
  }
  return classifyExit({ ...evidence, terminalWord: null });
}
