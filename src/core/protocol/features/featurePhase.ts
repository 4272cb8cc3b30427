import type { FeatureKind, FeaturePhase, Liveness } from './featureSnapshot';
import { count } from './levelStatus';

/** What a feature is judged by. */
export interface PhaseFacts {
  readonly kind: FeatureKind;
  readonly statuses: readonly string[];
  /** Null where it cannot be known. */
  readonly total: number | null;
  readonly paused: boolean;
  readonly livenesses: readonly Liveness[];
}

const GONE: ReadonlySet<Liveness> = new Set(['stopped', 'crashed', 'silent', 'stale']);

/** Whether a worker no longer works, as far as can be seen. */
export function isGone(liveness: Liveness): boolean {
  return GONE.has(liveness);
}

/** The phase of a feature: the first rule that fits (features.md §2). Complete comes from the tasks alone. */
export function featurePhase(facts: PhaseFacts): FeaturePhase {
  if (facts.kind === 'unreadable' || facts.kind === 'designed') {
    return facts.kind;
  }
  return endOf(facts) ?? courseOf(facts);
}

function endOf({ statuses, total }: PhaseFacts): FeaturePhase | null {
  const complete = count(statuses, 'complete');
  if (total === null || total === 0) {
    return null;
  }
  if (complete === total) {
    return 'complete';
  }
  return complete + count(statuses, 'failed') === total ? 'complete_with_failures' : null;
}

function courseOf({ paused, livenesses }: PhaseFacts): FeaturePhase {
  if (paused) {
    return 'paused';
  }
  return livenesses.length > 0 && livenesses.every(isGone) ? 'orphaned' : 'executing';
}
