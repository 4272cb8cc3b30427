import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant, typeName } from '../../../../test/support/protocolArbitraries';
import { isWorkerId, isWorkerTypeName, makeWorkerId, typeOfWorkerId } from './workerId';

describe('worker ids', () => {
  it('are made from type and UTC second, and give the type back', () => {
    expect(makeWorkerId('consolidate', Date.UTC(2026, 2, 1, 14, 30, 22, 999))).toBe('wkr-20260301-143022-consolidate');
    fc.assert(
      fc.property(typeName, instant, (type, at) => {
        const id = makeWorkerId(type, at);
        expect(isWorkerId(id)).toBe(true);
        expect(typeOfWorkerId(id)).toBe(type);
      }),
    );
  });

  it('never hold anything that a path could be built with', () => {
    fc.assert(
      fc.property(fc.string(), (tail) => {
        const id = `wkr-20260301-143022-a${tail}`;
        expect(isWorkerId(id)).toBe(id.length <= 200 && /^[a-z0-9-]+$/.test(id) && !/--|-$/.test(id));
      }),
    );
  });

  it.each([
    '',
    'wkr-20260301-143022-',
    'wkr-20260301-143022-A',
    'wkr-20260301-143022-a/../b',
    'wkr-20260301-143022-a\n',
    'wkr-2026031-143022-a',
    ' wkr-20260301-143022-a',
    `wkr-20260301-143022-${'a'.repeat(300)}`,
  ])('are not %j', (text) => {
    expect(isWorkerId(text)).toBe(false);
    expect(typeOfWorkerId(text)).toBeNull();
  });

  it('can be made of every type name that is accepted', () => {
    expect(isWorkerTypeName('a'.repeat(180))).toBe(true);
    expect(isWorkerId(makeWorkerId('a'.repeat(180), 0))).toBe(true);
    expect(isWorkerTypeName('a'.repeat(181))).toBe(false);
    expect(isWorkerTypeName('Nightly Tests')).toBe(false);
  });
});
