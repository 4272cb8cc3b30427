import type { CronRule } from './cronRule';

/** What is remembered of one type's schedule. Instants are epoch milliseconds. */
export interface ScheduleRecord {
  readonly cron: string;
  /** Ticks up to here are done with; at first the moment when the schedule was first seen. */
  readonly handledAt: number;
  /** When the schedule last started a worker, or null. */
  readonly lastAt: number | null;
  /** A start that was begun and not yet recorded as done: which tick it is for, and when it began. */
  readonly claim: { readonly tick: number; readonly at: number } | null;
}

/** A clock that is set back by less than this makes no tick come twice; beyond it the old time was the wrong one. */
const BELIEVED_LEAD_MS = 86_400_000;

/**
 * The record that holds now: a schedule that is new or was changed misses nothing that lies before, and ticks that were
 * handled under a clock far ahead do not silence it for ever. The same object where nothing changes.
 */
export function currentRecord(record: ScheduleRecord | null, cron: string, now: number): ScheduleRecord {
  if (record?.cron !== cron) {
    return { cron, handledAt: now, lastAt: record?.lastAt ?? null, claim: null };
  }
  return record.handledAt > now + BELIEVED_LEAD_MS ? { ...record, handledAt: now, claim: null } : record;
}

/**
 * Settles a claim that its leader left behind: if a worker of the type has started since, the tick has run; else it is
 * still due. `starts` are the type's start times, which the registry keeps in whole seconds.
 */
export function settledRecord(record: ScheduleRecord, starts: readonly number[]): ScheduleRecord {
  const { claim } = record;
  if (claim === null) {
    return record;
  }
  const began = Math.floor(claim.at / 1000) * 1000;
  const started = starts.filter((start) => start >= began);
  return started.length === 0
    ? { ...record, claim: null }
    : { ...record, handledAt: claim.tick, lastAt: Math.min(...started), claim: null };
}

/** The tick that is due at `now`: of several missed ones the newest, which stands for all (config.md). */
export function dueTick(rule: CronRule, handledAt: number, now: number): number | null {
  const next = rule.next(handledAt);
  if (next === null || next > now) {
    return null;
  }
  const newest = rule.newest(now);
  // Where the two directions of the library should ever disagree, no tick is lost and none comes twice.
  return newest !== null && newest > handledAt ? newest : next;
}
