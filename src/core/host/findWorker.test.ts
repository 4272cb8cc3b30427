import { describe, expect, it } from 'vitest';
import { fleetSnapshot, workerSnapshot } from '../../../test/support/snapshots';
import { findWorker } from './findWorker';

const problems = [{ code: 'registry-unreadable', message: 'registry.json cannot be read. Move it away.' }] as const;

describe('a worker that is looked for', () => {
  it('is not said to be missing where nothing of the registry could be read', () => {
    expect(findWorker('wkr-1', fleetSnapshot([], { problems }))).toEqual({
      ok: false,
      error: { code: 'failed', message: 'registry.json cannot be read. Move it away.' },
    });
  });

  it('is missing where others are known, or nobody is there', () => {
    expect(findWorker('wkr-1', fleetSnapshot([workerSnapshot()], { problems }))).toMatchObject({
      error: { code: 'not-found', message: 'Worker wkr-1 not found in registry' },
    });
    expect(findWorker('wkr-1', fleetSnapshot([]))).toMatchObject({ error: { code: 'not-found' } });
  });
});
