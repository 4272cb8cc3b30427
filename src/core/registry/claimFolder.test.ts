import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../../../test/support/tempFolder';
import { claimWorkerFolder, releaseWorkerFolder } from './claimFolder';
import { raiseStopFlag } from './stopFlag';

const root = useTempFolder('claim');
const now = Date.UTC(2026, 2, 1, 14, 30, 22, 987);

function workersDir(): string {
  return join(root.path, '.keysarium', 'workers');
}

describe('claiming a worker id', () => {
  it('makes the folder with its output folder, and starts at the second that the id names', async () => {
    const claimed = await claimWorkerFolder({ workersDir: workersDir(), type: 'health-check', now });
    const folder = join(workersDir(), 'wkr-20260301-143022-health-check');
    const startedAt = Date.UTC(2026, 2, 1, 14, 30, 22);
    expect(claimed).toEqual({ ok: true, value: { workerId: 'wkr-20260301-143022-health-check', folder, startedAt } });
    expect(readdirSync(folder)).toEqual(['output']);
  });

  it('gives each of several callers in one second its own second, never a suffix', async () => {
    const claims = Array.from({ length: 20 }, async () =>
      claimWorkerFolder({ workersDir: workersDir(), type: 'health-check', now }),
    );
    const seconds = (await Promise.all(claims)).map((claim) => (claim.ok ? claim.value.startedAt / 1000 : null));
    const first = Math.floor(now / 1000);
    expect([...seconds].sort()).toEqual(Array.from({ length: 20 }, (_, index) => first + index));
  });

  it('goes over the minute as a clock does', async () => {
    mkdirSync(join(workersDir(), 'wkr-20260301-235959-health-check'), { recursive: true });
    const claimed = await claimWorkerFolder({
      workersDir: workersDir(),
      type: 'health-check',
      now: Date.UTC(2026, 2, 1, 23, 59, 59),
    });
    expect(claimed).toMatchObject({ ok: true, value: { workerId: 'wkr-20260302-000000-health-check' } });
  });

  it('is refused after sixty taken seconds', async () => {
    for (let taken = 0; taken < 60; taken += 1) {
      expect((await claimWorkerFolder({ workersDir: workersDir(), type: 'x', now })).ok).toBe(true);
    }
    const refused = await claimWorkerFolder({ workersDir: workersDir(), type: 'x', now });
    expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining('60') as unknown } });
    expect(readdirSync(workersDir())).toHaveLength(60);
  });

  it.each(['../escape', 'Upper', 'a--b', '', 'a/b', 'a\0b'])(
    'is refused for the type %j, and nothing is made',
    async (type) => {
      mkdirSync(workersDir(), { recursive: true });
      expect((await claimWorkerFolder({ workersDir: workersDir(), type, now })).ok).toBe(false);
      expect(readdirSync(workersDir())).toEqual([]);
      expect(readdirSync(root.path)).toEqual(['.keysarium']);
    },
  );

  it('says what to do where a file stands in the way', async () => {
    writeFileSync(join(root.path, '.keysarium'), 'a file');
    const refused = await claimWorkerFolder({ workersDir: workersDir(), type: 'x', now });
    expect(refused).toMatchObject({ ok: false, error: { code: 'unsafe-root' } });
  });

  it('can be taken back, but not from under a worker that wrote', async () => {
    const first = await claimWorkerFolder({ workersDir: workersDir(), type: 'x', now });
    const second = await claimWorkerFolder({ workersDir: workersDir(), type: 'y', now });
    if (!first.ok || !second.ok) {
      throw new Error('both claims are free');
    }
    writeFileSync(join(second.value.folder, 'output', 'patterns.json'), '{}');
    await releaseWorkerFolder(workersDir(), first.value.workerId);
    await releaseWorkerFolder(workersDir(), second.value.workerId);
    expect(existsSync(first.value.folder)).toBe(false);
    expect(existsSync(join(second.value.folder, 'output', 'patterns.json'))).toBe(true);
  });
});

describe('the stop flag', () => {
  it('is empty, and raised by exactly one of many', async () => {
    const flag = join(root.path, 'stop-requested');
    const raised = await Promise.all(Array.from({ length: 10 }, async () => raiseStopFlag(flag)));
    const words = raised.map((outcome) => (outcome.ok ? outcome.value : 'refused'));
    expect(words.filter((word) => word === 'raised')).toHaveLength(1);
    expect(words.filter((word) => word === 'already')).toHaveLength(9);
    expect(readdirSync(root.path)).toEqual(['stop-requested']);
  });

  it('says why it cannot be raised', async () => {
    const refused = await raiseStopFlag(join(root.path, 'no-such-folder', 'stop-requested'));
    expect(refused).toMatchObject({ ok: false, error: { code: 'failed' } });
  });
});
