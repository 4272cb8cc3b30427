import { describe, expect, it } from 'vitest';
import { randomHex } from './randomHex';

describe('randomHex', () => {
  it('gives as many bytes as it is asked for, and never the same again', () => {
    const given = Array.from({ length: 5_000 }, () => randomHex(8));
    expect(given.every((hex) => /^[0-9a-f]{16}$/.test(hex))).toBe(true);
    expect(new Set(given).size).toBe(given.length);
  });

  it('gives whole ids across the end of what it fetched at once', () => {
    for (const bytes of [1, 7, 13, 4096, 5, 4095, 4096]) {
      expect(randomHex(bytes)).toMatch(new RegExp(`^[0-9a-f]{${String(2 * bytes)}}$`));
    }
    expect(randomHex(4096)).not.toBe('00'.repeat(4096));
  });
});
