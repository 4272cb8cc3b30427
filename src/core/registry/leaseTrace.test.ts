import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/tempProject';
import { systemClock } from '../base/clock';
import { writeFileAtomic } from '../system/atomicFile';
import { leaseFileName } from './leaseRecord';
import { LeaseTrace } from './leaseTrace';

interface Traced {
  readonly file: string;
  readonly next: string;
  /** What the content says; counted, because sparing that is what the trace is for. */
  says: boolean;
  readonly reads: () => number;
  readonly holds: (epoch?: number) => Promise<boolean>;
}

/** A folder with the lease of epoch 7, and what the trace makes of it. */
async function traced(): Promise<Traced> {
  const folder = await tempProject();
  const trace = new LeaseTrace(folder, systemClock());
  const [file, next] = [join(folder, leaseFileName(7)), join(folder, leaseFileName(8))];
  writeFileSync(file, 'ours');
  let reads = 0;
  const one: Traced = {
    file,
    next,
    says: true,
    reads: () => reads,
    holds: async (epoch = 7) =>
      await trace.holds(epoch, async () => {
        reads += 1;
        return await Promise.resolve(one.says);
      }),
  };
  expect(await one.holds()).toBe(true);
  return one;
}

describe('the trace of a lease', () => {
  it('believes the file that was read, without reading it again', async () => {
    const lease = await traced();
    expect([await lease.holds(), await lease.holds()]).toEqual([true, true]);
    expect(lease.reads()).toBe(1);
  });

  it('asks the content as soon as the file of the next epoch is there, and as long as it is', async () => {
    const lease = await traced();
    writeFileSync(lease.next, 'theirs');
    lease.says = false;
    expect([await lease.holds(), await lease.holds()]).toEqual([false, false]);
    expect(lease.reads()).toBe(3);
  });

  it.each<readonly [string, (lease: Traced) => void | Promise<void>]>([
    ['replaced by one of the same length', async ({ file }) => writeFileAtomic(file, 'gone', { fsync: false })],
    [
      'written to in place',
      ({ file }) => {
        writeFileSync(file, 'ours and more');
      },
    ],
    [
      'changed at another time',
      ({ file }) => {
        utimesSync(file, 1, 1);
      },
    ],
    [
      'removed',
      ({ file }) => {
        rmSync(file);
      },
    ],
  ])('asks the content once the file was %s, e.g. by a release', async (_how, change) => {
    const lease = await traced();
    await change(lease);
    lease.says = false;
    expect(await lease.holds()).toBe(false);
    expect(lease.reads()).toBe(2);
  });

  it('believes nothing of a lease that did not hold, or is of another epoch', async () => {
    const lease = await traced();
    expect(await lease.holds(9)).toBe(true);
    expect(await lease.holds(9)).toBe(true);
    expect(lease.reads()).toBe(3);
    lease.says = false;
    expect([await lease.holds(), await lease.holds()]).toEqual([false, false]);
    lease.says = true;
    expect(await lease.holds()).toBe(true);
    expect(lease.reads()).toBe(6);
  });

  it('reads again what was changed between its look and the reading', async () => {
    const folder = await tempProject();
    const trace = new LeaseTrace(folder, systemClock());
    const file = join(folder, leaseFileName(7));
    writeFileSync(file, 'ours');
    const meanwhile = async (): Promise<boolean> => {
      writeFileSync(file, 'released since');
      return await Promise.resolve(true);
    };
    expect(await trace.holds(7, meanwhile)).toBe(true);
    expect(await trace.holds(7, async () => Promise.resolve(false))).toBe(false);
  });
});
