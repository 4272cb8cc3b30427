import { isRecord } from '../events/jsonGuards';
import type { RegistryEntry } from './registryEntry';
import { parseTimestamp } from './timestamp';

/** The registry's key for what a person has put off of this worker. */
const KEY = 'snoozed';

/** So many are kept of a worker, the newest; those that are over still tell the log of events that they were. */
const KEPT = 20;

/** One thing of the inbox that a person has put off (surfaces.md, "Needs you"). */
export interface Snooze {
  /** Id of the item. */
  readonly item: string;
  /** ISO 8601 UTC; in the past where it was brought back. */
  readonly until: string;
  /** The surface that asked. */
  readonly by: string;
}

/** Everything of this worker that was put off, the newest last; what makes no sense is left out. */
export function snoozesIn({ extra }: RegistryEntry): readonly Snooze[] {
  const kept = extra[KEY];
  return Array.isArray(kept) ? kept.slice(-KEPT).filter(isSnooze) : [];
}

/** The entry with this item put off, in place of what was said of it before. */
export function withSnooze(entry: RegistryEntry, snooze: Snooze): RegistryEntry {
  const others = snoozesIn(entry).filter(({ item }) => item !== snooze.item);
  return { ...entry, extra: { ...entry.extra, [KEY]: [...others, snooze].slice(-KEPT) } };
}

/** Until when each item of this worker is put off, epoch milliseconds; those that are back are not among them. */
export function snoozedItems(entry: RegistryEntry, now: number): Readonly<Record<string, number>> {
  const open = snoozesIn(entry).map(({ item, until }) => [item, parseTimestamp(until) ?? 0] as const);
  return Object.fromEntries(open.filter(([, until]) => until > now));
}

function isSnooze(value: unknown): value is Snooze {
  return isRecord(value) && [value['item'], value['until'], value['by']].every((one) => typeof one === 'string');
}
