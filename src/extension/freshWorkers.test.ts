import { describe, expect, it } from 'vitest';
import { fleetSnapshot, workerSnapshot } from '../../test/support/snapshots';
import type { WorkerSnapshot } from '../core/protocol/snapshot';
import type { Fresh } from './fresh';
import { freshWorkers } from './freshWorkers';

/** A workspace's memory, which outlives the window. */
function memory() {
  const values = new Map<string, unknown>();
  return {
    get: (key: string): unknown => values.get(key),
    update: async (key: string, value: unknown) => {
      values.set(key, value);
      await Promise.resolve();
    },
  };
}

const failed = (n: number) => workerSnapshot({ workerId: `wkr-20260301-14302${n}-health-check`, state: 'failed' });
const isFailed = ({ state }: { readonly state: string }): boolean => state === 'failed';
const idsIn = (fresh: Fresh<WorkerSnapshot>, ...workers: ReturnType<typeof failed>[]): readonly string[] =>
  fresh.take([fleetSnapshot(workers)]).map(({ id }) => id);

describe('what is told once', () => {
  it('tells each worker once, and nothing of what was so before the workspace was ever seen', () => {
    const fresh = freshWorkers(memory(), 'key', isFailed);
    expect(idsIn(fresh, failed(1))).toEqual([]);
    expect(idsIn(fresh, failed(1), failed(2), workerSnapshot())).toEqual([failed(2).workerId]);
    expect(idsIn(fresh, failed(1), failed(2))).toEqual([]);
  });

  it('tells in a new window what happened while the old one was away', () => {
    const kept = memory();
    idsIn(freshWorkers(kept, 'key', isFailed), failed(1));
    const next = freshWorkers(kept, 'key', isFailed);
    expect(idsIn(next, failed(1), failed(2))).toEqual([failed(2).workerId]);
  });

  it('stays quiet in a window that does not lead, so that only one of several speaks', () => {
    const fresh = freshWorkers(memory(), 'key', isFailed);
    fresh.take([fleetSnapshot([])]);
    const leader = { pid: 1, surface: 'vscode', since: '2026-03-01T14:30:22Z', epoch: 1, self: false };
    expect(fresh.take([fleetSnapshot([failed(1)], { leader })])).toEqual([]);
  });
});
