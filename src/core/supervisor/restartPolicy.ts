/**
 * Whether and when a worker is started again after it ended by itself. An immutable value: `nextRestart` gives the
 * policy that holds after the restart. Times are milliseconds, `recent` are wall times of restarts.
 */
export type RestartPolicy =
  /** Never started again under its own id (background workers, workers.md §4.9). */
  | { readonly kind: 'never' }
  /** Started again after growing delays, until the limits are used up. */
  | {
      readonly kind: 'backoff';
      readonly delaysMs: readonly number[];
      /** Restarts in a row that never became stable. */
      readonly max: number;
      /** Restarts inside the window, stable or not. */
      readonly intensity: { readonly max: number; readonly windowMs: number };
      readonly used: number;
      readonly recent: readonly number[];
    };

/** The next restart with the policy that holds after it, or the end of patience. */
export type NextRestart = { readonly delayMs: number; readonly policy: RestartPolicy } | 'give-up';

export const neverRestart: RestartPolicy = { kind: 'never' };

/** 5, 10, 20, 40, then 60 s; at most `max` in a row (3 unless told) and 5 in 15 minutes. */
export function backoffPolicy(max = 3): RestartPolicy {
  return {
    kind: 'backoff',
    delaysMs: [5_000, 10_000, 20_000, 40_000, 60_000],
    max,
    intensity: { max: 5, windowMs: 15 * 60_000 },
    used: 0,
    recent: [],
  };
}

/** Takes one restart from the policy. A clock that went back counts every restart as recent: patience, not a storm. */
export function nextRestart(policy: RestartPolicy, now: number): NextRestart {
  if (policy.kind === 'never') {
    return 'give-up';
  }
  const recent = policy.recent.filter((at) => now - at < policy.intensity.windowMs);
  const delayMs = policy.delaysMs[Math.min(policy.used, policy.delaysMs.length - 1)];
  if (delayMs === undefined || policy.used >= policy.max || recent.length >= policy.intensity.max) {
    return 'give-up';
  }
  return { delayMs, policy: { ...policy, used: policy.used + 1, recent: [...recent, now] } };
}

/** After a stable time the count in a row starts anew; the intensity window keeps its memory. */
export function resetRestarts(policy: RestartPolicy): RestartPolicy {
  return policy.kind === 'never' ? policy : { ...policy, used: 0 };
}
