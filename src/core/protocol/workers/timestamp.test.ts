import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../../../../test/support/protocolArbitraries';
import { clockWentBack, formatTimestamp, parseTimestamp, plausibleTime } from './timestamp';

const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 1, 14, 30, 22);

describe('timestamps', () => {
  it('survive being written and read', () => {
    fc.assert(
      fc.property(instant, (ms) => {
        expect(parseTimestamp(formatTimestamp(ms))).toBe(ms);
      }),
    );
  });

  it('are written in the protocol’s twenty characters for every number', () => {
    fc.assert(
      fc.property(fc.double(), (ms) => {
        expect(formatTimestamp(ms)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      }),
    );
  });

  it.each([
    ['2026-03-01T14:30:22Z', START],
    ['2026-03-01T14:30:22.987Z', START + 987],
    ['2026-03-01T14:30:22.123456Z', START + 123],
    ['2026-03-01T14:30:22', START],
    [' 2026-03-01 14:30:22 UTC ', START],
    ['2026-03-01T16:30:22+02:00', START],
    ['2026-03-01T09:00:22-0530', START],
    ['2026-03-01T14:30Z', START - 22_000],
    ['2026-03-01', Date.UTC(2026, 2, 1)],
  ])('are read as models write them: %s', (text, ms) => {
    expect(parseTimestamp(text)).toBe(ms);
  });

  it.each([
    null,
    '',
    'now',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '2026-03-01T24:00:00Z',
    '2026-03-01T14:60:00Z',
    '1.3.2026',
  ])('are not made out of %j', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });

  it('never throw on any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseTimestamp(text) === null));
    fc.assert(
      fc.property(fc.stringMatching(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/), (text) => {
        const ms = parseTimestamp(text);
        expect(ms === null || Number.isFinite(ms)).toBe(true);
      }),
    );
  });
});

describe('a time that a model wrote', () => {
  const claim = { startedMs: START, mtimeMs: START + 60 * MINUTE, now: START + 60 * MINUTE };

  it.each([
    ['near the file’s own time is believed', START + 55 * MINUTE, START + 55 * MINUTE],
    ['more than ten minutes from the file’s time is not', START + 49 * MINUTE, claim.mtimeMs],
    ['in the future is not', START + 66 * MINUTE, claim.mtimeMs],
    ['that is missing is the file’s', null, claim.mtimeMs],
  ])('%s', (_title, claimedMs, expected) => {
    expect(plausibleTime({ ...claim, claimedMs })).toBe(expected);
  });

  it('is bounded by the start where there is no file', () => {
    const alone = { ...claim, mtimeMs: null };
    expect(plausibleTime({ ...alone, claimedMs: START - 6 * MINUTE })).toBeNull();
    expect(plausibleTime({ ...alone, claimedMs: START - 4 * MINUTE })).toBe(START - 4 * MINUTE);
  });
});

it('a clock went back only when something known lies more than five minutes ahead of it', () => {
  expect(clockWentBack(START + 5 * MINUTE, START)).toBe(false);
  expect(clockWentBack(START + 5 * MINUTE + 1, START)).toBe(true);
  expect(clockWentBack(null, START)).toBe(false);
});
