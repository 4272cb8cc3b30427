import { isParkedRecord } from '../protocol/keeper/parkedExit';
import { endedUnseen } from '../protocol/endedUnseen';
import type { WorkerFacts } from '../protocol/workerFacts';
import { refreshEntry, shouldPrune } from '../protocol/workers/refreshEntry';
import type { RegistryDocument } from '../protocol/workers/registryDocument';
import type { RegistryEntry } from '../protocol/workers/registryEntry';
import type { RegistryRow } from '../protocol/workers/registryRow';
import { isTerminal } from '../protocol/workers/statusWord';
import { formatTimestamp } from '../protocol/workers/timestamp';

/**
 * The status protocol on a whole registry (document, "Status Query Protocol"): every entry takes its worker's word,
 * ended ones older than a day leave. Gives null when nothing changed. Bad rows stay as they are, and so do entries that
 * are not wanted, whose files are not read.
 */
export async function refreshDocument(
  document: RegistryDocument,
  factsOf: (entry: RegistryEntry) => Promise<WorkerFacts>,
  now: number,
  isWanted: (entry: RegistryEntry) => boolean = () => true,
): Promise<RegistryDocument | null> {
  const rows = await Promise.all(
    document.rows.map(async (row) =>
      row.kind === 'bad' || !isWanted(row.entry) ? row : refreshRow(row, factsOf, now),
    ),
  );
  const kept = rows.filter((row) => row !== null);
  const same = kept.length === document.rows.length && kept.every((row, index) => row === document.rows[index]);
  return same ? null : { ...document, rows: kept };
}

/** Null for a row that is pruned; the same object for one that did not change. */
async function refreshRow(
  row: RegistryRow & { readonly kind: 'entry' },
  factsOf: (entry: RegistryEntry) => Promise<WorkerFacts>,
  now: number,
): Promise<RegistryRow | null> {
  const facts = await factsOf(row.entry);
  const entry = refreshedEntry(facts, now);
  const statusMtimeMs = facts.status.kind === 'absent' ? null : facts.status.mtimeMs;
  if (shouldPrune(entry, statusMtimeMs, now)) {
    return null;
  }
  return entry === row.entry ? row : { kind: 'entry', entry };
}

/**
 * The entry as the worker's files have it now; `unknown` where its process is provably gone without a word, so that its
 * slot does not stay taken for ever.
 */
export function refreshedEntry(facts: WorkerFacts, now: number): RegistryEntry {
  const { entry, status, stopFlagAt, newestMtimeMs } = facts;
  const refreshed = refreshEntry({ entry, status, stopFlagAt, newestMtimeMs, now }).entry;
  if (refreshed.status === 'stop-requested' && facts.keeper !== null && isParkedRecord(facts.keeper.record)) {
    // Nothing of it runs that could stop: it is just not started again.
    return { ...refreshed, status: 'stopped', completed_at: formatTimestamp(stopFlagAt ?? now) };
  }
  const isLost = !isTerminal(refreshed.status) && facts.keeper !== null && endedUnseen(facts.keeper);
  if (!isLost || entry.status === 'unknown') {
    return isLost ? entry : refreshed;
  }
  return { ...refreshed, status: 'unknown' };
}
