import type { GarbageReport } from '../../core/host/api';
import type { ScheduleSnapshot } from '../../core/protocol/snapshot';
import type { QueuedStart } from '../../core/protocol/workers/queueDocument';
import type { GarbageDeed } from '../text/garbageText';
import { SCHEMA } from './schema';

/** A schedule as `list --json` and `status --json` give it; instants are ISO 8601 UTC. */
export function scheduleJson({ nextAt, lastAt, ...schedule }: ScheduleSnapshot): object {
  return { ...schedule, nextAt: iso(nextAt), lastAt: iso(lastAt) };
}

/** A queued start as `status --json` gives it. */
export function queuedStartJson({ since, ...start }: QueuedStart): object {
  return { ...start, since: iso(since) };
}

/** `queue --json`: oldest first. */
export function queueJson(queue: readonly QueuedStart[]): object {
  return { schema: SCHEMA, queue: queue.map(queuedStartJson) };
}

/** `start --when-free --json` when the start waits; `place` counts from 1, null when it left the queue already. */
export function queuedJson(start: QueuedStart, place: number): object {
  return { schema: SCHEMA, queued: { ...queuedStartJson(start), place: place === 0 ? null : place } };
}

/** `queue cancel --json`: the start that waits no longer. */
export function takenBackJson(start: QueuedStart): object {
  return { schema: SCHEMA, cancelled: queuedStartJson(start) };
}

/** `gc --json`; `trash` is where the folders were put or taken from, null for a dry run. */
export function garbageJson(deed: GarbageDeed, { folders, trash }: GarbageReport, now: number): object {
  const shown = folders.map(({ workerId, changedAt }) => ({
    worker_id: workerId,
    changedAt: iso(changedAt),
    ageSeconds: Math.max(0, Math.floor((now - changedAt) / 1000)),
  }));
  return { schema: SCHEMA, action: deed, folders: shown, trash };
}

/** An instant as the documents of the CLI give it. */
export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
