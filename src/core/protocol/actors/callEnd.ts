import type { ExitRecord } from '../keeper/exitRecord';
import { callTroubleIn } from './callTrouble';

/** How a call ended, for its `CLIComplete`. */
export interface CallEnd {
  /** 0 only where the answer is in its file; −1 where there is none of its program. */
  readonly exitCode: number;
  /** A sentence that ends in what to do; null where all went well. */
  readonly error: string | null;
}

/** What is known of the end. */
export interface CallEvidence {
  /** Null where nobody could see it in time. */
  readonly exit: ExitRecord | null;
  /** The end of its log. */
  readonly lines: readonly string[];
  /** Why the leader had it ended, or null. */
  readonly endedFor: string | null;
}

/** A call that failed without a program's exit code. */
export function callFailed(error: string): CallEnd {
  return { exitCode: -1, error };
}

/** Judges the end of a call (actors.md §4). `limitSeconds` is how long it could take. */
export function callEnd({ exit, lines, endedFor }: CallEvidence, limitSeconds: number): CallEnd {
  if (exit?.code === 0) {
    return { exitCode: 0, error: null };
  }
  if (endedFor !== null) {
    return callFailed(endedFor);
  }
  if (exit === null) {
    return callFailed('Nobody could see how it ended. Look whether the answer is there, else send it again.');
  }
  if (exit.requestedBy === 'fuse') {
    return callFailed(`It took longer than ${String(limitSeconds)} s and was ended. Ask for less at once.`);
  }
  if (exit.code !== null) {
    const error = callTroubleIn(lines) ?? `It ended with exit code ${String(exit.code)}. Send it again.`;
    return { exitCode: exit.code, error };
  }
  return callFailed(unseenText(exit));
}

function unseenText({ class: exitClass, signal }: ExitRecord): string {
  switch (exitClass) {
    case 'never started':
      return 'It was cut off before it began, because the process that leads ended. Send it again.';
    case 'unknown exit':
      return 'It was cut off, because the process that kept it ended. Look whether the answer is there, else send it again.';
    default:
      return `It was ended by ${signal ?? 'somebody'}. Send it again.`;
  }
}
