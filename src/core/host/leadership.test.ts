import { expect, it, vi } from 'vitest';
import { handClock } from '../../../test/support/handClock';
import { silentLogger } from '../base/logger';
import type { LeaseAttempt } from '../registry/lease';
import { Leadership } from './leadership';

it('a trouble that stays the same is told once, and again when it came back', async () => {
  const failed = (message: string): LeaseAttempt => ({ kind: 'failed', error: { code: 'read-only', message } });
  const attempts = [failed('a'), failed('a'), failed('b'), { kind: 'no folder' } as const, failed('b')];
  const told: string[] = [];
  const leadership = new Leadership({
    lease: {
      tryAcquire: async () => Promise.resolve(attempts.shift() ?? failed('b')),
      verify: async () => Promise.resolve(false),
      release: async () => Promise.resolve(),
      read: async () => Promise.resolve(null),
    },
    clock: handClock(),
    logger: { ...silentLogger, warn: (message) => told.push(message) },
    onGained: vi.fn(),
    onLost: vi.fn(),
  });
  await leadership.want();
  for (let look = 0; look < 5; look += 1) {
    await leadership.check();
  }
  expect(told).toEqual(['a', 'b', 'b']);
});
