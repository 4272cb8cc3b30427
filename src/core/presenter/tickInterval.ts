import type { ShownRoot } from './shownRoot';

/**
 * How often ages must be drawn anew, in milliseconds, or null when none is shown. Quick only for short-lived states:
 * drawing a row under the pointer can lose the click, and its tooltip does not come.
 */
export function tickInterval(snapshots: readonly ShownRoot[]): number | null {
  const states = new Set(
    snapshots.flatMap(({ workers, session }) => [...workers, ...(session?.agents ?? [])].map(({ state }) => state)),
  );
  const runs = runStates(snapshots);
  if (
    states.has('starting') ||
    states.has('stopping') ||
    states.has('backoff') ||
    states.has('parked') ||
    runs.has('retry')
  ) {
    return 1_000;
  }
  return states.has('running') || runs.has('late') || runs.has('stale') || runs.has('silent') ? 5_000 : null;
}

/** What of the feature runs shows an age or a countdown in its row. */
function runStates(snapshots: readonly ShownRoot[]): ReadonlySet<string> {
  const features = snapshots.flatMap((one) => one.features?.features ?? []);
  const retrying = snapshots.some((one) =>
    one.features?.features.some(({ tasks }) =>
      tasks.some(({ nextRetryAt }) => (nextRetryAt ?? 0) > (one.features?.at ?? 0)),
    ),
  );
  const livenesses = features.flatMap(({ workers }) => workers.map(({ liveness }) => liveness));
  return new Set([...livenesses, ...(retrying ? ['retry'] : [])]);
}
