import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageSeconds, localInstant, utcInstant } from './instant';
import { instantOf, namedZone, utcZone, type Zone } from './zone';

function zone(name: string): Zone {
  const found = namedZone(name);
  if (found === null) {
    throw new Error(`${name} is no zone`);
  }
  return found;
}

const NEVER = Number.POSITIVE_INFINITY;

describe('a naive time', () => {
  it.each([
    ['America/Denver', '2026-02-14T10:10:00', '2026-02-14T17:10:00Z'],
    ['America/Denver', '2026-07-14T10:10:00', '2026-07-14T16:10:00Z'],
    ['Asia/Kathmandu', '2026-02-14T10:10:00.5', '2026-02-14T04:25:00.500Z'],
    ['Europe/Berlin', '2026-02-14 10:10:00', '2026-02-14T09:10:00Z'],
    ['UTC', '2026-02-14T10:10:00', '2026-02-14T10:10:00Z'],
    // An offset or Z is believed wherever the machine stands.
    ['America/Denver', '2026-02-14T17:10:00Z', '2026-02-14T17:10:00Z'],
    ['America/Denver', '2026-02-14T17:10:00+05:30', '2026-02-14T11:40:00Z'],
    // A day alone ends like an offset and has none.
    ['America/Denver', '2026-02-14', '2026-02-14T07:00:00Z'],
  ])('in %s, %s is %s', (name, text, instant) => {
    expect(localInstant(text, { zone: zone(name), now: NEVER })).toBe(Date.parse(instant));
  });

  it('that the clock skips in spring counts on from the time before', () => {
    const at = localInstant('2026-03-08T02:30:00', { zone: zone('America/Denver'), now: NEVER });
    expect(at).toBe(Date.parse('2026-03-08T09:30:00Z'));
  });

  it('that the clock repeats in autumn is the later one, unless that is still to come', () => {
    const clock = { zone: zone('America/Denver'), now: Date.parse('2026-11-01T08:40:00Z') };
    expect(localInstant('2026-11-01T01:30:00', clock)).toBe(Date.parse('2026-11-01T08:30:00Z'));
    const earlier = { ...clock, now: Date.parse('2026-11-01T07:40:00Z') };
    expect(localInstant('2026-11-01T01:30:00', earlier)).toBe(Date.parse('2026-11-01T07:30:00Z'));
  });

  it('is found again in every zone, for every instant that its wall clock shows once', () => {
    const names = fc.constantFrom(
      'America/Denver',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'Asia/Tokyo',
    );
    const instants = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2035, 0, 1) });
    fc.assert(
      fc.property(names, instants, (name, at) => {
        const place = zone(name);
        // The newest reading of a wall time that is not after the instant itself is the instant itself.
        expect(instantOf(at + place.offsetAt(at), place, at)).toBe(at);
      }),
    );
  });
});

describe('a zone', () => {
  it.each(['Mars/Olympus', '', 'UTC; rm', '../../etc'])('is not %j', (name) => {
    expect(namedZone(name)).toBeNull();
  });
});

describe('an age', () => {
  it('rounds to the nearest second, microseconds counted, and is never negative', () => {
    const age = (from: string, to: string): number => ageSeconds(utcInstant(from) ?? 0, utcInstant(to) ?? 0);
    expect(age('2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:30.499999Z')).toBe(30);
    expect(age('2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:30.500000Z')).toBe(31);
    expect(age('2026-01-01T00:00:00.000400Z', '2026-01-01T00:00:30.500300Z')).toBe(30);
    expect(age('2026-01-01T00:01:00Z', '2026-01-01T00:00:00Z')).toBe(0);
  });

  it.each([null, '', 'soon', '2026-13-01T00:00:00', '2026-02-30T00:00:00', '2026-01-01T25:00:00'])(
    'of %j is not known',
    (text) => {
      expect(localInstant(text, { zone: utcZone, now: 0 })).toBeNull();
    },
  );
});
