import { BY_STOP_FLAG, type RequestedBy } from '../keeper/exitRecord';
import type { RegistryEntry } from './registryEntry';

const KEY = 'stop_requested_by';

/**
 * The entry with the name of whoever raised the worker's stop flag; the first one keeps it. The flag has to be an empty file
 * (protocol, Stop step 2), and a quick worker has left before anybody can name him to its keeper.
 */
export function withStopAsker(entry: RegistryEntry, by: RequestedBy): RegistryEntry {
  return asker(entry) === null ? { ...entry, extra: { ...entry.extra, [KEY]: by } } : entry;
}

/** A record of a stop or an exit in which the flag alone asked, with the name that stands in the entry. */
export function namedStop<T extends { readonly requestedBy: RequestedBy | null }>(record: T, entry: RegistryEntry): T {
  const by = record.requestedBy === BY_STOP_FLAG ? asker(entry) : null;
  return by === null ? record : { ...record, requestedBy: by };
}

function asker({ extra }: RegistryEntry): RequestedBy | null {
  const by = extra[KEY];
  return typeof by === 'string' && by !== '' ? by : null;
}
