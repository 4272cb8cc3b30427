import { describe, expect, it } from 'vitest';
import { readOrder } from './workerOrder';

const args = ['--type', 'health-check', '--id', 'wkr-1', '--root', '/p q', '--folder', '/p q/w'];

describe('the order of a builtin worker', () => {
  it('is read from the arguments that the engine writes', () => {
    const value = { type: 'health-check', workerId: 'wkr-1', root: '/p q', folder: '/p q/w', paceMs: 0 };
    expect(readOrder(args, {})).toEqual({ ok: true, value });
  });

  it('is refused in words when something is missing or unknown', () => {
    expect(readOrder(args.slice(2), {})).toMatchObject({
      ok: false,
      error: expect.stringContaining('Usage:') as string,
    });
    expect(readOrder([...args, '--frobnicate'], {})).toMatchObject({ ok: false });
  });

  it.each([
    ['600', 600],
    ['0', 0],
    ['99999999', 60_000],
    ['-5', 0],
    ['1.5', 0],
    ['soon', 0],
    ['', 0],
  ])('takes the pace %j as %d ms', (text, paceMs) => {
    expect(readOrder(args, { ROLLCALL_PACE_MS: text })).toMatchObject({ value: { paceMs } });
  });
});
