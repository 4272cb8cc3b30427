import type { WorkersConfig } from '../protocol/config/configModel';
import { retryRuleOf } from '../protocol/config/retryRuleOf';
import type { Attention, WorkerSnapshot } from '../protocol/snapshot';
import type { WorkerFacts } from '../protocol/workerFacts';
import { isDismissed } from '../protocol/workers/dismissal';
import type { RegistryEntry } from '../protocol/workers/registryEntry';
import { namedStop } from '../protocol/workers/stopAsker';
import { automaticRetryAt, MAX_RETRIES, retriedAs, retryRefusal } from '../protocol/workers/retryRule';
import { deriveWorker } from '../supervisor/deriveWorker';
import { refreshedEntry } from './refreshDocument';

/** What stands around a worker when it is looked at; `now` is epoch milliseconds. */
export interface Surroundings {
  readonly now: number;
  /** Every entry of the registry. */
  readonly entries: readonly RegistryEntry[];
  readonly config: WorkersConfig;
}

/**
 * A worker with the registry words that the next refresh will write, and with the retry that stands before it. A look
 * shows both at once, so that it is as true in a window that does not lead, and where the registry cannot be written.
 * A background worker ends as `failed`; the retry is another worker's start, shown here until that one stands in the
 * registry (workers.md §4.9).
 */
export function shownWorker(facts: WorkerFacts, { now, entries, config }: Surroundings): WorkerSnapshot {
  const derived = deriveWorker(facts, now);
  if (facts.rowProblem !== null) {
    return derived;
  }
  const entry = refreshedEntry(facts, now);
  const shown = { ...withAsker(derived, entry), entry, canRetry: retryRefusal(entry, entries) === null };
  if (derived.state !== 'failed') {
    return { ...shown, attention: notDismissed(entry, derived.attention) };
  }
  const { stopFlagAt } = facts;
  const rule = retryRuleOf(entry.type, config);
  const nextStartAt = automaticRetryAt({ entry, entries, exit: derived.exit, stopFlagAt, rule });
  return nextStartAt === null
    ? { ...shown, attention: notDismissed(entry, attentionOf(shown, entries)) }
    : { ...shown, state: 'backoff', attention: null, nextStartAt };
}

/** Whoever asked for its stop by name, also where the worker left on the flag before its keeper heard that name. */
function withAsker(worker: WorkerSnapshot, entry: RegistryEntry): WorkerSnapshot {
  const { exit, stop } = worker;
  return { ...worker, exit: exit && namedStop(exit, entry), stop: stop && namedStop(stop, entry) };
}

/** Nobody has to look at a failure that another worker has taken over; after the last retry only a person can go on. */
function attentionOf({ entry, attention }: WorkerSnapshot, entries: readonly RegistryEntry[]): Attention | null {
  if (attention === null || retriedAs(entry.worker_id, entries) !== null) {
    return null;
  }
  return entry.retry_count >= MAX_RETRIES ? { ...attention, kind: 'gave-up' } : attention;
}

function notDismissed(entry: RegistryEntry, attention: Attention | null): Attention | null {
  return attention !== null && isDismissed(entry, attention) ? null : attention;
}
