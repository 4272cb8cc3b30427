import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetFuseDetail, fleetFuseNamed, fleetFuseRefusal, MEGABYTE } from '../fleetFuse';
import {
  formatFuseDocument,
  fuseAfterMeasure,
  fuseAfterReset,
  type LogsFuseRecord,
  type MeasuredLogs,
  readFuseDocument,
  wholeFuse,
} from './fuseDocument';

const NOW = Date.UTC(2026, 2, 1, 14, 30, 22);
const rule = { limitMB: 10, now: NOW };

function logs(megabytes: number): MeasuredLogs {
  const bytes = megabytes * MEGABYTE;
  return { bytes, biggest: [{ of: 'wkr-20260301-143022-loud', bytes }] };
}

function after(before: LogsFuseRecord, megabytes: number): LogsFuseRecord {
  return fuseAfterMeasure(before, logs(megabytes), rule);
}

describe('the fuse for all logs together', () => {
  it('blows above its limit, and keeps when it did while the logs go on to grow', () => {
    expect(after(wholeFuse, 10)).toBe(wholeFuse);
    const blown = after(wholeFuse, 11);
    expect(blown.blown).toEqual({ at: NOW, limitMB: 10, ...logs(11) });
    const later = fuseAfterMeasure(blown, logs(12), { limitMB: 10, now: NOW + 60_000 });
    expect(later.blown).toMatchObject({ at: NOW, bytes: 12 * MEGABYTE });
  });

  it('changes nothing where a measurement tells nothing new', () => {
    const blown = after(wholeFuse, 11);
    expect(after(blown, 11)).toBe(blown);
  });

  it('is whole by itself once there is less, e.g. behind gc', () => {
    expect(after(after(wholeFuse, 11), 9)).toEqual(wholeFuse);
  });

  it('counts from what there was when a person reset it, and blows again behind as much again', () => {
    const reset = fuseAfterReset(logs(11));
    expect(after(reset, 21).blown).toBeNull();
    expect(after(reset, 22).blown).not.toBeNull();
  });

  it('takes back what was accepted as far as it is gone', () => {
    const fewer = after(fuseAfterReset(logs(40)), 12);
    expect(fewer.acceptedBytes).toBe(12 * MEGABYTE);
    expect(after(fewer, 23).blown).not.toBeNull();
    expect(after(fewer, 5).acceptedBytes).toBe(0);
  });

  it('is read as it was written, and from any other text as a whole one', () => {
    const blown = after(fuseAfterReset(logs(11)), 30);
    expect(readFuseDocument(formatFuseDocument(blown))).toEqual(blown);
    expect(readFuseDocument('{"version": 2}')).toEqual(wholeFuse);
    expect(readFuseDocument('{"version": 1, "logs": {"acceptedBytes": -1, "blown": null}}')).toEqual(wholeFuse);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => readFuseDocument(text)).not.toThrow();
      }),
    );
  });
});

describe('what is said of it', () => {
  const fuse = { name: 'logs', limitMB: 10, measuredMB: 11.5, since: NOW } as const;

  it('names the number, what there is, the three biggest, and what a person can do', () => {
    const biggest = ['a', 'b', 'c', 'd'].map((of) => ({ of, bytes: 2.5 * MEGABYTE }));
    expect(fleetFuseDetail({ ...fuse, biggest })).toBe(
      'total logs: 10 MB (11.5 MB now, most of it a 2.5 MB, b 2.5 MB, c 2.5 MB)',
    );
    const refusal = fleetFuseRefusal({ ...fuse, biggest }, '/p');
    expect(refusal).toMatch(/^Nothing is started: fuse blown, total logs: 10 MB .* What runs goes on\./);
    expect(refusal).toMatch(
      /rollcall gc --apply, raise limits\.totalLogsMB .* or go on with rollcall fuse reset logs\.$/,
    );
  });

  it('is asked for by its name or its id in the inbox, and by no other', () => {
    expect(['logs', 'fuse:logs', 'disk', 'log', 'wkr-20260301-143022-logs', ''].map(fleetFuseNamed)).toEqual([
      'logs',
      'logs',
      'disk',
      null,
      null,
      null,
    ]);
  });
});
