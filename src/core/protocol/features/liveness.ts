import type { FeatureThresholds, Liveness } from './featureSnapshot';

/** What a worker's liveness is judged by; ages in whole seconds. */
export interface LivenessFacts {
  readonly status: string;
  /** Null where there is no heartbeat that tells its time. */
  readonly heartbeatAge: number | null;
  /** Null where nothing tells when it last did something. */
  readonly activityAge: number | null;
  /** Whether a heartbeat is there that cannot be read, and was written lately: then its silence is not known. */
  readonly tornHeartbeat: boolean;
  /** The round after a sleep or a jump of the clock: nobody had time to beat yet. */
  readonly grace: boolean;
}

/** Whether a worker lives, by the files alone (features.md §2). */
export function livenessOf(facts: LivenessFacts, thresholds: FeatureThresholds): Liveness {
  if (facts.status === 'stopped' || facts.status === 'crashed') {
    return facts.status;
  }
  return facts.heartbeatAge === null
    ? withoutHeartbeat(facts, thresholds)
    : byHeartbeat(facts.heartbeatAge, facts.grace, thresholds);
}

function byHeartbeat(age: number, grace: boolean, { lateSeconds, staleSeconds }: FeatureThresholds): Liveness {
  if (age <= lateSeconds) {
    return 'active';
  }
  return age <= staleSeconds || grace ? 'late' : 'stale';
}

function withoutHeartbeat(
  { activityAge, tornHeartbeat, grace }: LivenessFacts,
  { silentSeconds }: FeatureThresholds,
): Liveness {
  const silent = activityAge !== null && activityAge > silentSeconds;
  return silent && !tornHeartbeat && !grace ? 'silent' : 'no-heartbeat';
}
