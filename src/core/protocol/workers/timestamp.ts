const MINUTE_MS = 60_000;

/** How far two honest clocks may disagree before a time counts as wrong (workers.md §4.8, §4.12). */
export const CLOCK_SLACK_MS = 5 * MINUTE_MS;

/** How far a worker's own word about a time may lie from its file's mtime (workers.md §4.12). */
const FILE_SLACK_MS = 10 * MINUTE_MS;

const EARLIEST_MS = Date.UTC(1970, 0, 1);
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,9}))?)? ?(Z|z|UTC|[+-]\d{2}(?::?\d{2})?)?$/;

/** `YYYY-MM-DDTHH:MM:SSZ` of an instant, cut to the second; what no calendar of four-digit years holds is clamped. */
export function formatTimestamp(ms: number): string {
  const instant = Number.isNaN(ms) ? EARLIEST_MS : Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS);
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

/**
 * Epoch milliseconds of an ISO 8601 time as models write it: with or without fraction, offset, seconds or time of day;
 * without an offset it is UTC. Null where it is no time.
 */
export function parseTimestamp(text: string | null): number | null {
  const parts = text === null || text.length > 64 ? null : ISO.exec(text.trim());
  if (parts === null) {
    return null;
  }
  const [, day = '', clock = '', fraction = '', zone = ''] = parts;
  const dayMs = dayStartMs(day);
  const clockMs = sinceMidnightMs(clock);
  return dayMs === null || clockMs === null ? null : dayMs + clockMs + fractionMs(fraction) - offsetMs(zone);
}

/** Null for a day that no calendar has, such as February 30, and for the first century, which `Date.UTC` moves. */
function dayStartMs(day: string): number | null {
  const [year, month, date] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8))];
  // By arithmetic: a thousand workers have some thousand times in their files, and a Date for each would be felt.
  const exists = year >= 100 && month >= 1 && month <= 12 && date >= 1 && date <= daysIn(year, month);
  return exists ? Date.UTC(year, month - 1, date) : null;
}

function daysIn(year: number, month: number): number {
  if (month === 2) {
    return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  }
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Of `HH:MM` or `HH:MM:SS`, or of nothing for midnight. */
function sinceMidnightMs(clock: string): number | null {
  const [hour, minute, second] = [Number(clock.slice(0, 2)), Number(clock.slice(3, 5)), Number(clock.slice(6))];
  return hour > 23 || minute > 59 || second > 59 ? null : ((hour * 60 + minute) * 60 + second) * 1000;
}

function fractionMs(digits: string): number {
  return Number(digits.slice(0, 3).padEnd(3, '0'));
}

function offsetMs(zone: string): number {
  const parts = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (parts === null) {
    return 0;
  }
  const [, sign, hours, minutes = '0'] = parts;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

/** Whether `now` lies so far before a time that is known to have been that the clock must have gone back. */
export function clockWentBack(knownMs: number | null, now: number): boolean {
  return knownMs !== null && knownMs > now + CLOCK_SLACK_MS;
}

/** Whether a claimed time lies between the start and now, give or take five minutes (workers.md §4.12). */
export function isWithinRun(claimedMs: number, startedMs: number | null, now: number): boolean {
  return claimedMs <= now + CLOCK_SLACK_MS && (startedMs === null || claimedMs >= startedMs - CLOCK_SLACK_MS);
}

/** What bounds a time that a model wrote. All values are epoch milliseconds. */
export interface TimeClaim {
  readonly claimedMs: number | null;
  readonly startedMs: number | null;
  /** When the file that makes the claim was last written. */
  readonly mtimeMs: number | null;
  readonly now: number;
}

/** The claimed time where it can be true, else the file's mtime (workers.md §4.12); null where there is neither. */
export function plausibleTime(claim: TimeClaim): number | null {
  const { claimedMs, startedMs, mtimeMs, now } = claim;
  const nearFile = claimedMs === null || mtimeMs === null || Math.abs(claimedMs - mtimeMs) <= FILE_SLACK_MS;
  return claimedMs !== null && nearFile && isWithinRun(claimedMs, startedMs, now) ? claimedMs : mtimeMs;
}
