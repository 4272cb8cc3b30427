import { describe, expect, it } from 'vitest';
import { handClock } from '../../test/support/handClock';
import { Batched } from './batched';

const TIMES = { delayMs: 250, restMs: 750 };

describe('a batched job', () => {
  it('runs once for all requests of a moment', () => {
    const clock = handClock();
    const runs: number[] = [];
    const job = new Batched(clock, TIMES, () => {
      runs.push(clock.now());
      return null;
    });
    job.soon();
    job.soon();
    clock.go(200);
    job.soon();
    clock.go(5_000);
    expect(runs).toEqual([250]);
  });

  it('rests between runs, however many requests come', () => {
    const clock = handClock();
    const runs: number[] = [];
    const job = new Batched(clock, TIMES, () => {
      runs.push(clock.now());
      return null;
    });
    for (let step = 0; step < 30; step++) {
      job.soon();
      clock.go(100);
    }
    expect(runs).toEqual([250, 1_000, 1_750, 2_500]);
  });

  it('runs again by itself for as long as it wants to', () => {
    const clock = handClock();
    const wants = [1_000, 1_000, null];
    const runs: number[] = [];
    const job = new Batched(clock, TIMES, () => {
      runs.push(clock.now());
      return wants.shift() ?? null;
    });
    job.now();
    clock.go(10_000);
    expect(runs).toEqual([0, 1_000, 2_000]);
  });

  it('never runs after its end', () => {
    const clock = handClock();
    let runs = 0;
    const job = new Batched(clock, TIMES, () => {
      runs += 1;
      return 100;
    });
    job.soon();
    job.dispose();
    job.now();
    clock.go(5_000);
    expect(runs).toBe(0);
  });
});
