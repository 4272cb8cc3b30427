import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeRewards } from './rewardAnalysis';
import type { RewardRecord } from './rewardRecord';

function records(rewards: readonly number[], more: Partial<RewardRecord> = {}): readonly RewardRecord[] {
  return rewards.map((reward, index) => ({
    reward,
    phase: 'phase-1',
    domain: 'banking',
    slug: 'a',
    atMs: index,
    id: null,
    ...more,
  }));
}

describe('the analysis of rewards', () => {
  it('averages all records, each phase and each domain', () => {
    const some = [...records([1, 0.5]), ...records([0], { phase: 'phase-10', domain: 'retail', slug: 'b' })];
    const more = [...some, ...records([0.7], { phase: 'phase-2', domain: null, slug: null })];
    expect(analyzeRewards(more)).toEqual({
      records_analyzed: 4,
      cases: 2,
      overall: { records: 4, average: 0.55, trend: expect.any(String) },
      phases: [
        { phase: 'phase-1', records: 2, average: 0.75, trend: 'unknown' },
        { phase: 'phase-2', records: 1, average: 0.7, trend: 'unknown' },
        { phase: 'phase-10', records: 1, average: 0, trend: 'unknown' },
      ],
      domains: [
        { domain: 'banking', records: 2, average: 0.75, trend: 'unknown' },
        { domain: 'retail', records: 1, average: 0, trend: 'unknown' },
      ],
    });
  });

  it('has no average without records', () => {
    expect(analyzeRewards([])).toEqual({
      records_analyzed: 0,
      cases: 0,
      overall: { records: 0, average: null, trend: 'unknown' },
      phases: [],
      domains: [],
    });
  });

  it.each([
    [[0.3, 0.3, 0.7, 0.7], 'improving'],
    [[0.7, 0.7, 0.3, 0.3], 'degrading'],
    [[0.7, 0.7, 0.85, 0.85], 'stable'],
    [[0.7, 0.7, 0.86, 0.86], 'improving'],
    [[0, 0.5, 1], 'unknown'],
    [[0.3, 0.3, 0, 0.3, 0.3], 'stable'],
    [[7, 7, 8, 8], 'stable'],
    [[3, 3, 8, 8], 'improving'],
  ])('finds in %j, oldest first, the trend %s', (rewards, trend) => {
    expect(analyzeRewards(records(rewards)).overall.trend).toBe(trend);
  });

  it('knows no trend without times', () => {
    expect(analyzeRewards(records([0, 0, 1, 1], { atMs: null })).overall.trend).toBe('unknown');
  });

  it('depends on the times, not on the order in which the files are read', () => {
    const reward = fc.integer({ min: 0, max: 10 }).map((tenth) => tenth / 10);
    fc.assert(
      fc.property(fc.array(reward, { maxLength: 12 }), (rewards) => {
        const some = records(rewards);
        const overall = analyzeRewards([...some].reverse()).overall;
        expect(overall).toEqual(analyzeRewards(some).overall);
        expect(overall.average ?? 0).toBeGreaterThanOrEqual(0);
        expect(overall.average ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});
