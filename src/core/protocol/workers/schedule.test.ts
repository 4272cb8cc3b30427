import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CronRule, parseCron } from './cronRule';
import { currentRecord, dueTick, type ScheduleRecord, settledRecord } from './schedule';
import { formatScheduleDocument, readScheduleDocument } from './scheduleDocument';

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);

function rule(expression: string, timeZone = 'UTC'): CronRule {
  const parsed = parseCron(expression, timeZone);
  if (parsed === null) {
    throw new Error(`${expression} is no schedule`);
  }
  return parsed;
}

/** Lets a leader look at these instants and gives the ticks that it starts, as ISO times. */
function startsOf(cron: CronRule, firstSeen: string, looks: readonly string[]): readonly string[] {
  let record = currentRecord(null, 'x', at(firstSeen));
  return looks.flatMap((look) => {
    record = currentRecord(record, 'x', at(look));
    const tick = dueTick(cron, record.handledAt, at(look));
    if (tick === null) {
      return [];
    }
    record = { ...record, handledAt: tick, lastAt: at(look) };
    return [new Date(tick).toISOString().slice(0, 16)];
  });
}

describe('a cron expression', () => {
  it.each(['0 6 * * 1', '*/15 8-18 * * MON-FRI', '@daily', ' 0 0 1 1 * '])('%j is one', (text) => {
    expect(parseCron(text)).not.toBeNull();
  });

  it.each([
    '',
    '0 6 * *',
    '* * * * * *',
    '99 * * * *',
    '*/0 * * * *',
    '@reboot',
    'every monday',
    '2026-01-01T00:00:00',
  ])('%j is none', (text) => {
    expect(parseCron(text)).toBeNull();
  });

  it('of any text never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseCron(text);
      }),
    );
  });

  it('for a day that no calendar has never comes', () => {
    expect(rule('0 0 31 2 *').next(at('2026-01-01T00:00Z'))).toBeNull();
    expect(dueTick(rule('0 0 31 2 *'), 0, at('2026-01-01T00:00Z'))).toBeNull();
  });

  it('that a change to summer time leaves out comes right after the change, once', () => {
    const berlin = rule('30 2 * * *', 'Europe/Berlin');
    const looks = ['2026-03-29T00:59Z', '2026-03-29T01:00Z', '2026-03-29T01:31Z', '2026-03-29T22:00Z'];
    expect(startsOf(berlin, '2026-03-28T12:00Z', looks)).toEqual(['2026-03-29T01:00']);
  });

  it('that a change to winter time repeats comes once', () => {
    const berlin = rule('30 2 * * *', 'Europe/Berlin');
    const looks = ['2026-10-25T00:29Z', '2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T22:00Z'];
    expect(startsOf(berlin, '2026-10-24T12:00Z', looks)).toEqual(['2026-10-25T00:30']);
  });

  it('for every hour comes in each real hour of both changes', () => {
    const hourly = rule('0 * * * *', 'Europe/Berlin');
    for (const day of ['2026-03-28T23:59Z', '2026-10-24T23:59Z']) {
      const looks = [1, 2, 3, 4].map((hour) => new Date(at(day) + hour * HOUR).toISOString());
      expect(startsOf(hourly, day, looks)).toHaveLength(4);
    }
  });
});

describe('a schedule', () => {
  const daily = rule('0 6 * * *');

  it('that is new has missed nothing', () => {
    expect(startsOf(daily, '2026-03-05T09:00Z', ['2026-03-05T09:00Z', '2026-03-06T05:59Z'])).toEqual([]);
  });

  it('that was changed has missed nothing', () => {
    const old: ScheduleRecord = { cron: '0 5 * * *', handledAt: 0, lastAt: 7, claim: null };
    expect(currentRecord(old, '0 6 * * *', 99)).toEqual({ cron: '0 6 * * *', handledAt: 99, lastAt: 7, claim: null });
  });

  it('runs once for all the ticks that nobody was there for', () => {
    const looks = ['2026-03-12T08:00Z', '2026-03-12T08:01Z', '2026-03-13T05:59Z'];
    expect(startsOf(daily, '2026-03-05T09:00Z', looks)).toEqual(['2026-03-12T06:00']);
  });

  it('runs each tick once while somebody is there', () => {
    const looks = ['2026-03-06T06:00Z', '2026-03-06T06:00:01Z', '2026-03-07T06:00Z', '2026-03-07T23:00Z'];
    expect(startsOf(daily, '2026-03-05T09:00Z', looks)).toEqual(['2026-03-06T06:00', '2026-03-07T06:00']);
  });

  it('does not run twice when the clock goes back an hour', () => {
    const hourly = rule('0 * * * *');
    const looks = ['2026-03-05T10:00Z', '2026-03-05T09:00Z', '2026-03-05T10:00Z', '2026-03-05T11:00Z'];
    expect(startsOf(hourly, '2026-03-05T09:30Z', looks)).toEqual(['2026-03-05T10:00', '2026-03-05T11:00']);
  });

  it('runs once when the clock jumps eight hours ahead, and not again when it is set right', () => {
    const hourly = rule('0 * * * *');
    const looks = ['2026-03-05T18:10Z', '2026-03-05T10:20Z', '2026-03-05T18:00Z', '2026-03-05T19:00Z'];
    expect(startsOf(hourly, '2026-03-05T10:10Z', looks)).toEqual(['2026-03-05T18:00', '2026-03-05T19:00']);
  });

  it('is not silenced by a clock that was years ahead', () => {
    const looks = ['2036-03-05T10:00Z', '2026-03-05T10:00Z', '2026-03-06T06:00Z'];
    expect(startsOf(daily, '2026-03-05T09:00Z', looks)).toEqual(['2036-03-05T06:00', '2026-03-06T06:00']);
  });

  it('starts at most one worker per look, only for ticks of its own that lie in the past, each at most once', () => {
    const jump = fc.integer({ min: -2 * HOUR, max: 30 * HOUR });
    fc.assert(
      fc.property(fc.array(jump, { maxLength: 30 }), fc.constantFrom('0 6 * * *', '*/20 * * * *'), (jumps, text) => {
        let now = at('2026-03-05T09:00Z');
        const looks = jumps.map((by) => new Date((now += by)).toISOString());
        const starts = startsOf(rule(text), '2026-03-05T09:00Z', looks);
        expect(new Set(starts).size).toBe(starts.length);
        expect(starts.toSorted()).toEqual(starts);
      }),
    );
  });
});

describe('a start that its leader did not live to record', () => {
  const claimed: ScheduleRecord = { cron: 'x', handledAt: 1000, lastAt: null, claim: { tick: 5000, at: 6_400 } };

  it('has run when a worker of the type started since', () => {
    expect(settledRecord(claimed, [2000, 6000])).toEqual({ cron: 'x', handledAt: 5000, lastAt: 6000, claim: null });
  });

  it('is still due when none did', () => {
    expect(settledRecord(claimed, [2000])).toEqual({ ...claimed, claim: null });
  });
});

describe('schedules.json', () => {
  const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
  const record = fc.record({
    cron: fc.string(),
    handledAt: instant,
    lastAt: fc.option(instant),
    claim: fc.option(fc.record({ tick: instant, at: instant })),
  });
  const type = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8})?$/);

  it('reads what it wrote', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(type, record)), (entries) => {
        const records = new Map(entries);
        expect(readScheduleDocument(formatScheduleDocument(records))).toEqual(records);
      }),
    );
  });

  it('that is damaged loses only what cannot be read', () => {
    const good = new Map([['audit', { cron: '@daily', handledAt: 1, lastAt: null, claim: null }]]);
    const text = formatScheduleDocument(good).replace(
      '"schedules": {',
      '"schedules": {"__proto__": 1, "x": {"cron": 4},',
    );
    expect(readScheduleDocument(text)).toEqual(good);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (anything) => {
        expect(readScheduleDocument(anything)).toBeInstanceOf(Map);
      }),
    );
  });
});
