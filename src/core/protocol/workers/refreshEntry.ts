import type { StatusReading } from '../workerFacts';
import type { RegistryEntry, RegistryStatus, StatusDocument } from './registryEntry';
import { isTerminal } from './statusWord';
import {
  CLOCK_SLACK_MS,
  clockWentBack,
  formatTimestamp,
  isWithinRun,
  parseTimestamp,
  plausibleTime,
} from './timestamp';

/** A worker whose files have not changed for this long is shown as stale (workers.md §4.7). */
const STALE_AFTER_MS = 15 * 60_000;

/** Ended workers leave the registry after this long (workers.md §4.8). */
export const PRUNE_AFTER_MS = 24 * 60 * 60_000;

/** Everything that a refresh of one entry looks at. Times are epoch milliseconds. */
export interface RefreshFacts {
  readonly entry: RegistryEntry;
  readonly status: StatusReading;
  /** When the stop-requested flag was made, or null. */
  readonly stopFlagAt: number | null;
  /** The newest change in the worker's folder; null where there is none. */
  readonly newestMtimeMs: number | null;
  readonly now: number;
}

export interface RefreshedEntry {
  /** The very entry that was given where nothing changed. */
  readonly entry: RegistryEntry;
  readonly stale: boolean;
}

/**
 * The status protocol for one entry (workers.md §4.4, §4.6, §4.7, §4.12, §4.13): the worker's terminal word, then a
 * stop request, then its other words, then the registry. Never invents `failed`.
 *
 * A terminal entry is final, except for a status.json that changed more than five minutes after its end: such a
 * worker speaks again, and the registry must not say that it has ended.
 */
export function refreshEntry(facts: RefreshFacts): RefreshedEntry {
  const entry = refreshedEntry(facts);
  return { entry, stale: isStale(entry, facts) };
}

function refreshedEntry(facts: RefreshFacts): RegistryEntry {
  const { entry } = facts;
  const document = documentOf(facts.status);
  if (document !== null && isTerminal(document.status)) {
    return endedEntry(facts, document);
  }
  if (isTerminal(entry.status) && !speaksAgain(facts)) {
    return entry;
  }
  const status = openStatus(facts, document);
  return status === entry.status && entry.completed_at === null ? entry : { ...entry, status, completed_at: null };
}

function documentOf(status: StatusReading): StatusDocument | null {
  if (status.kind === 'absent') {
    return null;
  }
  return status.kind === 'ok' ? status.document : status.lastGood;
}

function endedEntry(facts: RefreshFacts, document: StatusDocument): RegistryEntry {
  const { entry, status, now } = facts;
  if (entry.status === document.status && entry.completed_at !== null) {
    return entry;
  }
  const endedMs = plausibleTime({
    claimedMs: parseTimestamp(document.completed_at),
    startedMs: parseTimestamp(entry.started_at),
    mtimeMs: status.kind === 'absent' ? null : status.mtimeMs,
    now,
  });
  return { ...entry, status: document.status, completed_at: formatTimestamp(endedMs ?? now) };
}

function speaksAgain({ entry, status }: RefreshFacts): boolean {
  const endedMs = parseTimestamp(entry.completed_at);
  return status.kind === 'ok' && endedMs !== null && status.mtimeMs > endedMs + CLOCK_SLACK_MS;
}

function openStatus(facts: RefreshFacts, document: StatusDocument | null): RegistryStatus {
  if (facts.entry.status === 'stop-requested' || hasStopFlag(facts)) {
    return hasNoFiles(facts) ? 'unknown' : 'stop-requested';
  }
  if (document !== null) {
    return document.status;
  }
  return facts.status.kind === 'absent' ? silentStatus(facts) : facts.entry.status;
}

/** Without its folder nothing will ever tell how it ended, and its slot must not stay taken. */
function hasNoFiles({ status, stopFlagAt, newestMtimeMs }: RefreshFacts): boolean {
  return status.kind === 'absent' && stopFlagAt === null && newestMtimeMs === null;
}

/** A flag from before the start was meant for someone else (lifecycle §5). */
function hasStopFlag({ entry, stopFlagAt }: RefreshFacts): boolean {
  const startedMs = parseTimestamp(entry.started_at);
  return stopFlagAt !== null && (startedMs === null || stopFlagAt >= startedMs - CLOCK_SLACK_MS);
}

/** Without any status.json: running and completing are not to be believed, starting is for a while (§4.6). */
function silentStatus({ entry, now }: RefreshFacts): RegistryStatus {
  const startedMs = parseTimestamp(entry.started_at);
  const overdue = startedMs !== null && now - startedMs >= STALE_AFTER_MS;
  return entry.status === 'starting' && !overdue ? 'starting' : 'unknown';
}

function isStale(entry: RegistryEntry, { newestMtimeMs, now }: RefreshFacts): boolean {
  const lastSeen = Math.max(parseTimestamp(entry.started_at) ?? -Infinity, newestMtimeMs ?? -Infinity);
  const silentFor = now - lastSeen;
  return !isTerminal(entry.status) && entry.status !== 'unknown' && silentFor > STALE_AFTER_MS && silentFor < Infinity;
}

/**
 * Whether a refresh takes the entry out of the registry (workers.md §4.8): ended, and strictly longer than 24 hours
 * ago by `completed_at`, else the mtime of status.json, else `started_at`. After a clock that went back nothing goes.
 */
export function shouldPrune(entry: RegistryEntry, statusMtimeMs: number | null, now: number): boolean {
  const startedMs = parseTimestamp(entry.started_at);
  if (!isTerminal(entry.status) || clockWentBack(startedMs, now) || clockWentBack(statusMtimeMs, now)) {
    return false;
  }
  const claimedMs = parseTimestamp(entry.completed_at);
  const endedMs =
    claimedMs !== null && isWithinRun(claimedMs, startedMs, now) ? claimedMs : (statusMtimeMs ?? startedMs);
  return (
    endedMs !== null && now - endedMs > PRUNE_AFTER_MS && !(statusMtimeMs === null && clockWentBack(claimedMs, now))
  );
}
