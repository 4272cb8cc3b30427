import { describe, expect, it } from 'vitest';
import { nextPause } from './outputWatch';

/** The pauses of a keeper that sees nothing for so many looks. */
function quietPauses(looks: number, followed: boolean): readonly number[] {
  const pauses: number[] = [];
  for (let pause = nextPause(0, true, followed); pauses.length < looks; pause = nextPause(pause, false, followed)) {
    pauses.push(pause);
  }
  return pauses;
}

describe('nextPause', () => {
  it('doubles from 50 ms to 5 s when the output is quiet', () => {
    expect(quietPauses(9, false)).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it('stays at 250 ms or less while somebody follows', () => {
    expect(quietPauses(5, true)).toEqual([50, 100, 200, 250, 250]);
    expect(nextPause(5000, false, true)).toBe(250);
  });

  it('is short again with the first output', () => {
    expect(nextPause(5000, true, false)).toBe(50);
  });
});
