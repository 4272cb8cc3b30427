import { describe, expect, it } from 'vitest';
import { readPackedBranches, workerBranch } from './workerBranch';

const HASH = 'a'.repeat(40);

describe("the name of a worker's branch", () => {
  it.each([
    ['worker-0', '0'],
    ['worker-12', '12'],
    ['worker-alpha', 'alpha'],
  ])('%s is that of worker %s', (part, worker) => {
    expect(workerBranch('auth', part)).toEqual({ feature: 'auth', worker, name: `zerg/auth/${part}` });
  });

  it.each(['staging', 'worker-', 'worker-01', 'worker-0.lock', 'worker-a b', 'my-worker-1'])('is not %s', (part) => {
    expect(workerBranch('auth', part)).toBeNull();
  });
});

describe('packed branches', () => {
  const text = [
    '# pack-refs with: peeled fully-peeled sorted ',
    `${HASH} refs/heads/main`,
    `${HASH} refs/heads/zerg/auth/staging`,
    `${HASH} refs/heads/zerg/auth/worker-0`,
    `${'b'.repeat(64)} refs/heads/zerg/оплата/worker-12`,
    `${HASH} refs/remotes/zerg/auth/worker-5`,
    `${HASH} refs/tags/v1`,
    `^${HASH}`,
    '',
  ].join('\n');

  it("are those of a feature's workers", () => {
    expect(readPackedBranches(text).map(({ name }) => name)).toEqual(['zerg/auth/worker-0', 'zerg/оплата/worker-12']);
  });

  it('in a file that is cut off are those that it names to their end', () => {
    const cut = text.slice(0, text.indexOf('worker-12') + 'worker-1'.length);
    expect(readPackedBranches(cut).map(({ name }) => name)).toEqual(['zerg/auth/worker-0']);
    expect(readPackedBranches('')).toEqual([]);
  });
});
