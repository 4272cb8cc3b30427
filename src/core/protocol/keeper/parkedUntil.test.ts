import { describe, expect, it } from 'vitest';
import { parkedUntil } from './parkedUntil';

const at = '2026-03-01T14:30:22.123Z';
const endedAt = Date.parse(at);

describe('the wait of a rate-limited worker', () => {
  it('lasts until the service takes requests again, and at most a tenth longer', () => {
    const until = parkedUntil({ at, resetsAt: '2026-03-01T14:40:22.123Z' }, 1) - endedAt;
    expect(until).toBeGreaterThanOrEqual(600_000);
    expect(until).toBeLessThanOrEqual(660_000);
  });

  it('is never lengthened by more than a minute', () => {
    const until = parkedUntil({ at, resetsAt: '2026-03-03T14:30:22.123Z' }, 1) - endedAt;
    expect(until).toBeLessThanOrEqual(2 * 24 * 3_600_000 + 60_000);
  });

  it.each([{}, { resetsAt: 'later' }])('is the one for an unknown reset where the exit says %j', (told) => {
    const until = parkedUntil({ at, ...told }, 300_000) - endedAt;
    expect(until).toBeGreaterThanOrEqual(300_000);
    expect(until).toBeLessThanOrEqual(330_000);
  });

  it('is over at once where the reset is past', () => {
    expect(parkedUntil({ at, resetsAt: '2026-03-01T14:00:00.000Z' }, 1)).toBe(endedAt);
  });

  it('differs between workers that were stopped together', () => {
    const waits = [0, 1, 2, 3].map((ms) => parkedUntil({ at: new Date(endedAt + ms).toISOString() }, 300_000) - ms);
    expect(new Set(waits).size).toBe(4);
  });
});
