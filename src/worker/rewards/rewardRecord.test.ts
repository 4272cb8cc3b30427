import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRewardRecords } from './rewardRecord';

const full = {
  id: 'a_phase-2',
  timestamp: '2026-02-15T14:30:00Z',
  project_slug: 'a',
  domain: 'banking',
  phase: 'phase-2',
  phase_name: 'findings',
  reward: 0.7,
  context: { phase: 3, reward: 1 },
};
const record = {
  reward: 0.7,
  phase: 'phase-2',
  domain: 'banking',
  slug: 'a',
  atMs: Date.UTC(2026, 1, 15, 14, 30),
  id: 'a_phase-2',
};
const bare = { reward: 0.5, phase: null, domain: null, slug: null, atMs: null, id: null };

describe('a reward record', () => {
  it('is known by its shape, wherever it lies in a document', () => {
    expect(findRewardRecords(full)).toEqual([record]);
    expect(findRewardRecords([[full], { deep: { down: [full] } }])).toEqual([record, record]);
  });

  it.each([
    [{ reward: '0.5', stage: 'stage-1' }, { phase: 'stage-1' }],
    [{ reward: 0.5, phase: 2 }, { phase: 'phase-2' }],
    [{ reward: 0.5, phase: '2.5' }, { phase: 'phase-2.5' }],
    [{ reward: 0.5, phase: 'Phase 2' }, { phase: 'phase-2' }],
    [
      { reward: 0.5, domain: 'retail', case: 'x' },
      { domain: 'retail', slug: 'x' },
    ],
    [
      { reward: 0.5, phase: 1, original_timestamp: '1970-01-01' },
      { phase: 'phase-1', atMs: 0 },
    ],
    [{ reward: 0.5, phase: 1, timestamp: 'soon' }, { phase: 'phase-1' }],
  ])('may be written as %j', (written, expected) => {
    expect(findRewardRecords(written)).toEqual([{ ...bare, ...expected }]);
  });

  it.each([
    [{ reward: 0.5 }],
    [{ phase: 2, domain: 'x' }],
    [{ reward: null, phase: 2 }],
    [{ reward: '', phase: 2 }],
    [{ reward: true, phase: 2 }],
    [{ reward: 1e300, phase: 2 }],
    [{ reward_levels: { good: 0.7 }, phase: 2 }],
    [{ records: { id1: { reward: 0.7, phase: 'x', file: 'banking/a.json' } } }],
    ['reward'],
    [null],
  ])('is not %j', (document) => {
    expect(findRewardRecords(document)).toEqual([]);
  });

  it('is looked for in any JSON without harm', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('reward', 'phase', 'domain', 'timestamp', 'file', '__proto__'));
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 0.5, '0.5', '', 'x'),
        fc.array(tie('json'), { maxLength: 4 }),
        fc.dictionary(key, tie('json'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(json, (document) => {
        expect(findRewardRecords(document).every(({ reward }) => Number.isFinite(reward))).toBe(true);
      }),
    );
  });
});
