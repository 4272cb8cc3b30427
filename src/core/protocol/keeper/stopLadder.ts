import { assertNever } from '../../base/assertNever';
import type { StopStep } from './stopReceipt';

/** A step that does something; `verified` is only ever seen, never taken. */
export type LadderStep = Exclude<StopStep, 'verified'>;

export interface StopGraces {
  /** From the polite request to SIGTERM, milliseconds. */
  readonly graceMs: number;
  /** From SIGTERM to SIGKILL, milliseconds. */
  readonly termGraceMs: number;
}

/** After a SIGKILL, how soon those who are still there are killed again, milliseconds. */
const KILL_AGAIN_MS = 250;

/** The step that a stop request takes: the first one, or, repeated, the next one (lifecycle §5). */
export function stepOnRequest(last: LadderStep | null, force: boolean): LadderStep {
  if (last === null) {
    return force ? 'terminate' : 'asked';
  }
  return stepAfter(last);
}

/** The step that follows when the grace of `last` is over. There is nothing beyond `kill` but to repeat it. */
export function stepAfter(last: LadderStep): LadderStep {
  return last === 'asked' ? 'terminate' : 'kill';
}

/** How long a step gets before the next one, milliseconds. */
export function graceOf(step: LadderStep, graces: StopGraces): number {
  switch (step) {
    case 'asked':
      return graces.graceMs;
    case 'terminate':
      return graces.termGraceMs;
    case 'kill':
      return KILL_AGAIN_MS;
    default:
      return assertNever(step, 'stop step');
  }
}
