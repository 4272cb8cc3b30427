import { describe, expect, it } from 'vitest';
import { emptyRegistryDocument, type RegistryDocument } from '../protocol/workers/registryDocument';
import { changeTogether, type RegistryChange } from './waitingChanges';

const before = emptyRegistryDocument(3);

function waiting(change: RegistryChange) {
  const rejected: unknown[] = [];
  const entry = { change, create: false, resolve: () => undefined, reject: (reason: unknown) => rejected.push(reason) };
  return { entry, rejected };
}

const raise = (document: RegistryDocument): RegistryDocument => ({
  ...document,
  maxConcurrent: document.maxConcurrent + 1,
});

describe('changes that wait for the same lock', () => {
  it('each see what the earlier ones did', async () => {
    const after = await changeTogether(before, [waiting(raise).entry, waiting(raise).entry]);
    expect(after?.maxConcurrent).toBe(5);
  });

  it('are no change where none of them wants one', async () => {
    expect(await changeTogether(before, [waiting(() => null).entry, waiting(() => null).entry])).toBeNull();
  });

  it('leave out one that throws, which alone hears of it', async () => {
    const error = new Error('not this one');
    const bad = waiting(() => {
      throw error;
    });
    const good = waiting(raise);
    const after = await changeTogether(before, [waiting(raise).entry, bad.entry, good.entry]);
    expect(after?.maxConcurrent).toBe(5);
    expect([bad.rejected, good.rejected]).toEqual([[error], []]);
  });
});
