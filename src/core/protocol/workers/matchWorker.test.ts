import { describe, expect, it } from 'vitest';
import { matchWorker } from './matchWorker';

const IDS = ['wkr-20260301-143022-audit', 'wkr-20260301-143022-audit-all', 'wkr-20260302-080000-audit'];

describe('a worker named by a person', () => {
  it.each([
    [IDS[0], { kind: 'found', workerId: IDS[0] }],
    ['wkr-20260302', { kind: 'found', workerId: IDS[2] }],
    [' wkr-20260302 ', { kind: 'found', workerId: IDS[2] }],
    ['wkr-20260301', { kind: 'ambiguous', workerIds: IDS.slice(0, 2) }],
    ['audit', { kind: 'none' }],
    ['', { kind: 'none' }],
  ])('%j is found by its exact id or a unique prefix', (text, expected) => {
    expect(matchWorker(text ?? '', IDS)).toEqual(expected);
  });
});
