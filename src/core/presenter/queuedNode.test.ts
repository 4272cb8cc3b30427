import { describe, expect, it } from 'vitest';
import { fleetSnapshot, readerAfter, START, workerSnapshot } from '../../../test/support/snapshots';
import type { QueuedStart } from '../protocol/workers/queueDocument';
import { queuedWords } from './queuedNode';
import { toTree } from './toTree';
import { plainEnglish } from './words';

const reader = readerAfter(10);

function queued(id: string, type: string): QueuedStart {
  return { id, type, since: START };
}

describe('a queued start', () => {
  it.each([
    [1, '1st'],
    [2, '2nd'],
    [3, '3rd'],
    [4, '4th'],
    [11, '11th'],
    [12, '12th'],
    [13, '13th'],
    [21, '21st'],
    [100, '100th'],
  ])('in place %i is called %s', (place, ordinal) => {
    expect(queuedWords(place, plainEnglish)).toBe(`queued, ${ordinal}`);
  });

  it('stands below what runs and above what is done, each with its place', () => {
    const workers = [workerSnapshot(), workerSnapshot({ type: 'old', state: 'completed' })];
    const queue = [queued('q-1', 'consolidate'), queued('q-2', 'consolidate')];
    const [group] = toTree([fleetSnapshot(workers, { queue })], reader);
    expect(group?.children.map(({ label, description }) => `${label}: ${description}`)).toEqual([
      'health-check: running · 10 s',
      'consolidate: queued, 1st',
      'consolidate: queued, 2nd',
      'Done: 1',
    ]);
    expect(group?.children[2]).toMatchObject({
      kind: 'queued',
      contextValue: 'queued',
      queueId: 'q-2',
      icon: { name: 'circle-outline' },
      accessibleLabel: 'consolidate, queued, 2nd',
    });
  });

  it('is shown also where no worker is', () => {
    const [group] = toTree([fleetSnapshot([], { queue: [queued('q-1', 'consolidate')] })], reader);
    expect(group?.children.map(({ label }) => label)).toEqual(['consolidate']);
  });

  it('says since when it waits, and shows its letters as they are', () => {
    const [group] = toTree([fleetSnapshot([], { queue: [queued('q-1|x', 'consolidate')] })], reader);
    const tooltip = group?.children[0]?.tooltip ?? '';
    expect(tooltip).toContain(String.raw`| ID | q\-1\|x |`);
    expect(tooltip).toContain(String.raw`| Waits since | 14\:30\:22 · 10 s |`);
  });
});
