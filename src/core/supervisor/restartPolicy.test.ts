import { describe, expect, it } from 'vitest';
import { backoffPolicy, neverRestart, nextRestart, resetRestarts, type RestartPolicy } from './restartPolicy';

/** The delays of as many restarts as the policy grants when each follows `gapMs` after the last. */
function delaysGranted(
  policy: RestartPolicy,
  gapMs: number,
  onEach = (next: RestartPolicy): RestartPolicy => next,
): number[] {
  const delays: number[] = [];
  let current = policy;
  for (let now = 0; delays.length < 20; now += gapMs) {
    const next = nextRestart(current, now);
    if (next === 'give-up') {
      break;
    }
    delays.push(next.delayMs);
    current = onEach(next.policy);
  }
  return delays;
}

describe('restart policy', () => {
  it('a background worker is never started again', () => {
    expect(nextRestart(neverRestart, 0)).toBe('give-up');
    expect(resetRestarts(neverRestart)).toBe(neverRestart);
  });

  it('grants three restarts in a row, each after twice the time, then gives up', () => {
    expect(delaysGranted(backoffPolicy(), 1_000)).toEqual([5_000, 10_000, 20_000]);
  });

  it('never waits longer than a minute', () => {
    const patient = { ...backoffPolicy(8), intensity: { max: 100, windowMs: 1 } } as RestartPolicy;
    expect(delaysGranted(patient, 1_000)).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000, 60_000]);
  });

  it('a stable time gives the restarts in a row back', () => {
    const first = nextRestart(backoffPolicy(), 0);
    const reset = first === 'give-up' ? neverRestart : resetRestarts(first.policy);
    expect(nextRestart(reset, 1_000_000)).toMatchObject({ delayMs: 5_000 });
  });

  it('five restarts in a quarter of an hour are a storm, stable or not', () => {
    expect(delaysGranted(backoffPolicy(), 60_000, resetRestarts)).toHaveLength(5);
    expect(delaysGranted(backoffPolicy(), 4 * 60_000, resetRestarts)).toHaveLength(20);
  });

  it('a clock that goes back grants no extra restarts', () => {
    expect(delaysGranted(backoffPolicy(), -3_600_000, resetRestarts)).toHaveLength(5);
  });
});
