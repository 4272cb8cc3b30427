import { describe, expect, it } from 'vitest';
import { handClock } from '../../../test/support/handClock';
import { fleetSnapshot, workerSnapshot } from '../../../test/support/snapshots';
import { WakeGrace, withHealthBefore } from './wakeGrace';

/** A clock whose wall time can be set apart from the time that goes by. */
function setClock() {
  const clock = handClock();
  let ahead = 0;
  return {
    ...clock,
    now: () => clock.now() + ahead,
    set: (ms: number) => {
      ahead += ms;
    },
  };
}

describe('the grace after a wake', () => {
  it('is not given to a process that looks every two seconds', () => {
    const clock = setClock();
    const grace = new WakeGrace(clock);
    const held = Array.from({ length: 100 }, () => {
      clock.go(2_000);
      return grace.isHeld();
    });
    expect(held).not.toContain(true);
  });

  it.each<[string, (clock: ReturnType<typeof setClock>) => void]>([
    [
      'a process that was frozen',
      (clock) => {
        clock.go(20_000);
      },
    ],
    [
      'a machine that slept, whose monotonic clock slept as well',
      (clock) => {
        clock.set(8 * 3_600_000);
      },
    ],
    [
      'a clock that was set back',
      (clock) => {
        clock.set(-3_600_000);
      },
    ],
  ])('lasts a minute for %s', (_what, jump) => {
    const clock = setClock();
    const grace = new WakeGrace(clock);
    expect(grace.isHeld()).toBe(false);
    jump(clock);
    expect(grace.isHeld()).toBe(true);
    for (let ms = 0; ms < 58_000; ms += 2_000) {
      clock.go(2_000);
      expect(grace.isHeld()).toBe(true);
    }
    clock.go(2_000);
    expect(grace.isHeld()).toBe(false);
  });
});

describe('a snapshot in a grace round', () => {
  it('keeps the health of before where only time went by, and nothing else', () => {
    const one = workerSnapshot({ workerId: 'a', state: 'running', health: 'ok' });
    const before = fleetSnapshot([one, workerSnapshot({ workerId: 'b', state: 'running', health: 'ok' })]);
    const after = fleetSnapshot([
      { ...one, health: 'stale' },
      workerSnapshot({ workerId: 'b', state: 'running', health: 'flooding' }),
      workerSnapshot({ workerId: 'c', state: 'running', health: 'stale' }),
    ]);
    expect(withHealthBefore(before, after).workers.map(({ health }) => health)).toEqual(['ok', 'flooding', 'stale']);
  });
});
