import type { StatusWord } from '../workers/registryEntry';
import type { ExitClass } from './exitRecord';

/** What is known about one end of a worker's process. */
export interface ExitEvidence {
  readonly code: number | null;
  readonly signal: string | null;
  /** False where it is certain that there never was a process. */
  readonly started: boolean;
  /** Someone had asked it to stop before it ended. */
  readonly stopRequested: boolean;
  /** The worker's own last word when that is a terminal one, else null. */
  readonly terminalWord: StatusWord | null;
  /** The kernel says that it killed something in this control group for want of memory during the run. */
  readonly outOfMemory: boolean;
}

/** Signals that a program does not get from its own mistake: someone sent them. */
const SENT_BY_SOMEONE = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGSTOP']);

/** The class of an end, by its evidence (lifecycle §4), as far as background workers go. */
export function classifyExit(evidence: ExitEvidence): ExitClass {
  if (evidence.stopRequested && !hasOwnEnd(evidence)) {
    return 'asked to stop';
  }
  if (!evidence.started) {
    return 'never started';
  }
  if (evidence.signal !== null) {
    return classifySignal(evidence.signal, evidence.outOfMemory);
  }
  if (evidence.code === null) {
    return 'unknown exit';
  }
  return evidence.code === 0 ? 'done' : 'crash';
}

/** The class of a start that failed, by the system's error code. */
export function classifySpawnError(code: string | undefined): ExitClass {
  return code === 'ENOENT' ? 'not installed' : 'config';
}

/** The worker finished or failed by itself although it was asked to stop: then that is what happened. */
function hasOwnEnd({ code, terminalWord }: ExitEvidence): boolean {
  return code !== null && (terminalWord === 'completed' || terminalWord === 'failed');
}

function classifySignal(signal: string, outOfMemory: boolean): ExitClass {
  if (signal === 'SIGKILL' && outOfMemory) {
    return 'out of memory';
  }
  return SENT_BY_SOMEONE.has(signal) ? 'killed by someone else' : 'crash';
}
