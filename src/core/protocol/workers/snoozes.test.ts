import { describe, expect, it } from 'vitest';
import { workerSnapshot } from '../../../../test/support/snapshots';
import { snoozedItems, snoozesIn, withSnooze } from './snoozes';

const { entry } = workerSnapshot();
const snooze = (item: string, until: string): Parameters<typeof withSnooze>[1] => ({ item, until, by: 'cli' });
const until = '2026-03-01T15:00:00.000Z';
const at = Date.parse(until);

describe('what was put off of a worker', () => {
  it('is put off until then and not at that moment any more, each item for itself', () => {
    const put = withSnooze(withSnooze(entry, snooze('a', until)), snooze('b', '2026-03-01T16:00:00.000Z'));
    expect(snoozedItems(put, at - 1)).toEqual({ a: at, b: at + 3_600_000 });
    expect(snoozedItems(put, at)).toEqual({ b: at + 3_600_000 });
    expect(snoozedItems(withSnooze(put, snooze('b', until)), at)).toEqual({});
  });

  it('is of bounded size, and what a stranger wrote there puts nothing off', () => {
    const many = Array.from({ length: 30 }, (_none, index) => snooze(String(index), until)).reduce(withSnooze, entry);
    expect(snoozesIn(many)).toHaveLength(20);
    expect(snoozesIn(many).at(-1)).toEqual(snooze('29', until));
    for (const snoozed of ['x', { a: 1 }, [1, null, { item: 'a' }]]) {
      expect(snoozesIn({ ...entry, extra: { snoozed } })).toEqual([]);
    }
    expect(snoozedItems({ ...entry, extra: { snoozed: [snooze('a', 'never')] } }, at)).toEqual({});
  });
});
