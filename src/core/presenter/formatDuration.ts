const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function twoUnits(ms: number, large: readonly [number, string], small: readonly [number, string]): string {
  const rest = Math.floor((ms % large[0]) / small[0]);
  return `${Math.floor(ms / large[0])}${large[1]} ${String(rest).padStart(2, '0')}${small[1]}`;
}

/**
 * A length of time in at most two units, rounded down: `3 s`, `2m 14s`, `1h 05m`, `2d 03h`. Negative lengths (a clock
 * that was set back) read as `0 s`.
 */
export function formatDuration(ms: number): string {
  if (!(ms >= SECOND)) {
    return '0 s';
  }
  if (ms < MINUTE) {
    return `${Math.floor(ms / SECOND)} s`;
  }
  if (ms < HOUR) {
    return twoUnits(ms, [MINUTE, 'm'], [SECOND, 's']);
  }
  return ms < DAY ? twoUnits(ms, [HOUR, 'h'], [MINUTE, 'm']) : twoUnits(ms, [DAY, 'd'], [HOUR, 'h']);
}
