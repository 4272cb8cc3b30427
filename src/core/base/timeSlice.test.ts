import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manualClock';
import { TimeSlice } from './timeSlice';

it('a slice is over behind its time, and the next one begins when others have run', async () => {
  const clock = new ManualClock();
  const slice = new TimeSlice(clock);
  clock.advance(7);
  expect(slice.isOver).toBe(false);
  clock.advance(1);
  expect(slice.isOver).toBe(true);
  const paused = slice.pause();
  expect(slice.isOver).toBe(true);
  clock.advance(0);
  await paused;
  expect(slice.isOver).toBe(false);
});
