import { describe, expect, it } from 'vitest';
import { RecentMap } from './recentMap';

describe('RecentMap', () => {
  it('remembers at least as many as it promises and at most twice as many', () => {
    const map = new RecentMap<number, string>(10);
    for (let key = 1; key <= 1_000; key += 1) {
      map.set(key, `value ${String(key)}`);
      for (let back = 0; back < Math.min(10, key); back += 1) {
        expect(map.get(key - back)).toBe(`value ${String(key - back)}`);
      }
      expect(map.get(key - 20)).toBeUndefined();
    }
  });

  it('gives the newest value of a key', () => {
    const map = new RecentMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    expect(map.get('a')).toBe(3);
  });
});
