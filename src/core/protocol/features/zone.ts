/** How far a place is from UTC. Both values are milliseconds; the offset is positive east of Greenwich. */
export interface Zone {
  readonly name: string;
  offsetAt(utcMs: number): number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Clocks change at full quarters of an hour, so one answer holds for a quarter. */
const QUARTER_MS = 15 * MINUTE_MS;
const MAX_REMEMBERED = 10_000;

export const utcZone: Zone = { name: 'UTC', offsetAt: () => 0 };

/** The zone that this process runs in. */
export const machineZone: Zone = remembering('local', (utcMs) => -new Date(utcMs).getTimezoneOffset() * MINUTE_MS);

/** A zone by its IANA name, e.g. `America/Denver`; null for a name that is none. */
export function namedZone(name: string): Zone | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    return remembering(name, (utcMs) => wallTime(format, utcMs) - utcMs);
  } catch {
    // Intl throws for a name that it does not know.
    return null;
  }
}

/**
 * The instant of a wall time (given as if it were UTC, milliseconds). A time that a change of the clock repeats is the
 * later one that is not after `now`, because whoever wrote it wrote in the past; one that it skips counts on from the
 * time before the change.
 */
export function instantOf(wallMs: number, zone: Zone, now: number): number {
  const before = zone.offsetAt(wallMs - 24 * HOUR_MS);
  const after = zone.offsetAt(wallMs + 24 * HOUR_MS);
  const meant = [wallMs - after, wallMs - before].filter((utcMs) => utcMs + zone.offsetAt(utcMs) === wallMs);
  const past = meant.filter((utcMs) => utcMs <= now);
  return past.length > 0 ? Math.max(...past) : Math.min(...(meant.length > 0 ? meant : [wallMs - before]));
}

function wallTime(format: Intl.DateTimeFormat, utcMs: number): number {
  const part = new Map(format.formatToParts(utcMs).map(({ type, value }) => [type, Number(value)]));
  const at = (type: Intl.DateTimeFormatPartTypes): number => part.get(type) ?? 0;
  return Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'));
}

function remembering(name: string, offsetOf: (utcMs: number) => number): Zone {
  const known = new Map<number, number>();
  return {
    name,
    offsetAt(utcMs) {
      const quarter = Math.floor(utcMs / QUARTER_MS) * QUARTER_MS;
      const offset = known.get(quarter) ?? offsetOf(quarter);
      if (known.size > MAX_REMEMBERED) {
        known.clear();
      }
      known.set(quarter, offset);
      return offset;
    },
  };
}
