import { describe, expect, it } from 'vitest';
import { graceOf, stepAfter, stepOnRequest } from './stopLadder';

describe('the stop ladder', () => {
  it('begins politely, or with SIGTERM when forced', () => {
    expect(stepOnRequest(null, false)).toBe('asked');
    expect(stepOnRequest(null, true)).toBe('terminate');
  });

  it.each([
    ['asked', 'terminate'],
    ['terminate', 'kill'],
    ['kill', 'kill'],
  ] as const)('goes from %s to %s, by a repeated request of either kind and by the end of a grace', (last, next) => {
    expect(stepOnRequest(last, false)).toBe(next);
    expect(stepOnRequest(last, true)).toBe(next);
    expect(stepAfter(last)).toBe(next);
  });

  it('gives each step its own grace', () => {
    const graces = { graceMs: 30_000, termGraceMs: 5000 };
    expect(graceOf('asked', graces)).toBe(30_000);
    expect(graceOf('terminate', graces)).toBe(5000);
    expect(graceOf('kill', graces)).toBeGreaterThan(0);
  });
});
