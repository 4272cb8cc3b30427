import type { Zone } from '../zone';

/** The wall time of the writer without its zone, as states and events have it: `2026-02-14T10:29:50.123000`. */
export function naiveLocalTime(now: number, zone: Zone): string {
  return micros(now + zone.offsetAt(now));
}

/** The same instant as heartbeats have it: `2026-02-14T17:29:50.123000+00:00`. */
export function utcTime(now: number): string {
  return `${micros(now)}+00:00`;
}

/** Older Pythons read three or six digits of a second, and the real tool writes six. */
function micros(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000');
}
