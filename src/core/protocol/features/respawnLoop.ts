const STARTS = 3;
const WITHIN_MS = 30_000;

/** Whether one worker was started three times or more within 30 seconds; `starts` are instants in any order. */
export function isRespawnLoop(starts: readonly number[]): boolean {
  const sorted = [...starts].sort((a, b) => a - b);
  return sorted.some((start, index) => {
    const third = sorted[index + STARTS - 1];
    return third !== undefined && third - start <= WITHIN_MS;
  });
}
