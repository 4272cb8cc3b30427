import { describe, expect, it } from 'vitest';
import type { Clock } from '../base/clock';
import { PromptDisk } from './promptDisk';

function clockAt(time: { ms: number }): Clock {
  return {
    now: () => time.ms,
    monotonic: () => time.ms,
    schedule: () => ({ dispose: () => undefined }),
  };
}

describe('a prompt disk', () => {
  it('makes steps at once, and in the background for ten seconds after a slow one', async () => {
    const time = { ms: 1000 };
    const disk = new PromptDisk(clockAt(time));
    const stepOf = async (tookMs: number): Promise<string> =>
      await disk.step(
        () => {
          time.ms += tookMs;
          return 'at once';
        },
        async () => await Promise.resolve('in the background'),
      );
    expect([await stepOf(1), await stepOf(20), await stepOf(21), await stepOf(1)]).toEqual([
      'at once',
      'at once',
      'at once',
      'in the background',
    ]);
    time.ms += 9_999;
    expect(await stepOf(1)).toBe('in the background');
    time.ms += 1;
    expect(await stepOf(1)).toBe('at once');
  });

  it('hands on what a step throws, and counts its time too', async () => {
    const time = { ms: 0 };
    const disk = new PromptDisk(clockAt(time));
    const failing = disk.step<string>(
      () => {
        time.ms += 500;
        throw new Error('ENOSPC');
      },
      async () => await Promise.resolve('never'),
    );
    await expect(failing).rejects.toThrow('ENOSPC');
    const next = disk.step(
      () => 'at once',
      async () => await Promise.resolve('in the background'),
    );
    expect(await next).toBe('in the background');
  });
});
