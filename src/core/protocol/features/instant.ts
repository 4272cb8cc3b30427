import { parseTimestamp } from '../workers/timestamp';
import { instantOf, type Zone } from './zone';

const OFFSET = /(?:Z|z|UTC|\d[+-]\d{2}(?::?\d{2})?)$/;
const FINER_THAN_MS = /[.,]\d{3}(\d{1,6})/;

/** Where and when a time was written that does not say its zone. */
export interface WriterClock {
  readonly zone: Zone;
  /** Epoch milliseconds of the look. */
  readonly now: number;
}

/** Epoch milliseconds, with their fraction, of a time that is UTC where it names no offset. Null where it is none. */
export function utcInstant(text: string | null): number | null {
  const ms = parseTimestamp(text);
  return ms === null || text === null ? null : ms + finerPart(text);
}

/** The same for states and events, whose naive times are the writer's wall time (features.md §1). */
export function localInstant(text: string | null, { zone, now }: WriterClock): number | null {
  const ms = utcInstant(text);
  if (ms === null || text === null || hasOffset(text)) {
    return ms;
  }
  return instantOf(ms, zone, now);
}

/** Whole seconds from `at` to `now`, rounded to nearest and never negative (features.md §2). */
export function ageSeconds(at: number, now: number): number {
  return Math.max(0, Math.round((now - at) / 1000));
}

/** The newest of some instants; null where none is known. */
export function newestOf(instants: Iterable<number | null>): number | null {
  let newest: number | null = null;
  for (const instant of instants) {
    if (instant !== null && (newest === null || instant > newest)) {
      newest = instant;
    }
  }
  return newest;
}

/** A day alone ends like an offset (`2026-03-01`), so the time of day must be there. */
function hasOffset(text: string): boolean {
  const time = text.trim();
  return time.length > 10 && OFFSET.test(time);
}

/** Microseconds decide whether an age rounds up. */
function finerPart(text: string): number {
  const digits = FINER_THAN_MS.exec(text)?.[1];
  return digits === undefined ? 0 : Number(`0.${digits}`);
}
