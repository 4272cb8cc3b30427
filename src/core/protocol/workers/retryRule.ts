import type { RetryConfig } from '../config/configModel';
import type { ExitClass, ExitRecord } from '../keeper/exitRecord';
import { hasResetFuse } from './fuseReset';
import type { RegistryEntry } from './registryEntry';
import { parseTimestamp } from './timestamp';

/** Retries per original request (document, "Retry Logic"). */
export const MAX_RETRIES = 2;

/** The waits before the first and the second automatic retry, milliseconds. */
const WAITS_MS = [10_000, 60_000];

/** Ends that may well go better a second time, although nothing was changed (workers.md §4.9). */
const TRANSIENT: ReadonlySet<ExitClass> = new Set(['killed by someone else', 'never started']);

/** Ends that come again until a person has changed something, whatever the setting says. */
const HOPELESS: ReadonlySet<ExitClass> = new Set(['auth', 'config', 'not installed', 'asked to stop', 'done']);

/** The id of the worker that was started in place of this one, or null. */
export function retriedAs(workerId: string, entries: readonly RegistryEntry[]): string | null {
  return entries.find((entry) => entry.extra['retry_of'] === workerId)?.worker_id ?? null;
}

/** Why this worker cannot be retried, in words that end in what the person can do; null when it can (workers.md §4.9). */
export function retryRefusal(entry: RegistryEntry, entries: readonly RegistryEntry[]): string | null {
  const { worker_id: id, status, retry_count: count, type } = entry;
  // What a fuse ended is stopped, and stays so unless a person has reset that fuse.
  if (status !== 'failed' && status !== 'unknown' && !(status === 'stopped' && hasResetFuse(entry))) {
    return `Worker ${id} cannot be retried (status: ${status}). Only failed and unknown workers can, and what a fuse ended once you reset that fuse.`;
  }
  const successor = retriedAs(id, entries);
  if (successor !== null) {
    return `Worker ${id} was already retried as ${successor}. Retry that one.`;
  }
  return count >= MAX_RETRIES
    ? `Worker ${id} failed permanently after ${String(MAX_RETRIES)} retries. Start ${type} anew if you still need it.`
    : null;
}

export interface AutomaticRetryQuestion {
  /** As the worker's files have it now. */
  readonly entry: RegistryEntry;
  /** Every entry of the registry. */
  readonly entries: readonly RegistryEntry[];
  readonly exit: ExitRecord | null;
  /** A stop is a latch: whoever was asked to stop is never started again by itself. */
  readonly stopFlagAt: number | null;
  readonly rule: RetryConfig;
}

/** When a failed worker is retried by itself, epoch milliseconds; null when only a person may retry it. */
export function automaticRetryAt(question: AutomaticRetryQuestion): number | null {
  const { entry, entries, exit, stopFlagAt, rule } = question;
  const endedAt = parseTimestamp(exit?.at ?? null);
  const waitMs = WAITS_MS[entry.retry_count];
  if (exit === null || endedAt === null || waitMs === undefined || stopFlagAt !== null) {
    return null;
  }
  const wanted = entry.status === 'failed' && entry.retry_count < rule.max && isCovered(exit, rule);
  return wanted && retryRefusal(entry, entries) === null ? endedAt + waitMs : null;
}

function isCovered({ class: exitClass, transient }: ExitRecord, { automatic }: RetryConfig): boolean {
  switch (automatic) {
    case 'never':
      return false;
    case 'transient':
      return TRANSIENT.has(exitClass) || transient === true;
    case 'always':
      return !HOPELESS.has(exitClass);
  }
}
