import type { RewardRecord } from './rewardRecord';

export type Trend = 'improving' | 'degrading' | 'stable' | 'unknown';

/** What some records have in common. */
export interface RewardGroup {
  readonly records: number;
  /** Three decimals; null without records. */
  readonly average: number | null;
  readonly trend: Trend;
}

/** The part of `reward-analysis.json` that follows from the records, in its order. */
export interface RewardAnalysis {
  readonly records_analyzed: number;
  readonly cases: number;
  readonly overall: RewardGroup;
  readonly phases: readonly (RewardGroup & { readonly phase: string })[];
  readonly domains: readonly (RewardGroup & { readonly domain: string })[];
}

/** A trend of fewer records would be chance. */
const MIN_TREND = 4;
/** How far the halves must lie apart, as a share of the scale; rewards go from 0 to 1, larger ones stretch it. */
const MIN_CHANGE = 0.15;

/** Averages and trends over all records, by phase and by domain; phases and domains in the order of their names. */
export function analyzeRewards(records: readonly RewardRecord[]): RewardAnalysis {
  const scale = records.reduce((most, { reward }) => Math.max(most, Math.abs(reward)), 1);
  const cases = new Set(records.flatMap(({ slug }) => slug ?? []));
  return {
    records_analyzed: records.length,
    cases: cases.size,
    overall: groupOf(records, scale),
    phases: groups(records, ({ phase }) => phase).map(([phase, some]) => ({ phase, ...groupOf(some, scale) })),
    domains: groups(records, ({ domain }) => domain).map(([domain, some]) => ({ domain, ...groupOf(some, scale) })),
  };
}

function groups(
  records: readonly RewardRecord[],
  nameOf: (record: RewardRecord) => string | null,
): readonly (readonly [string, readonly RewardRecord[]])[] {
  const found = new Map<string, RewardRecord[]>();
  for (const record of records) {
    const name = nameOf(record);
    if (name !== null) {
      const group = found.get(name) ?? [];
      found.set(name, group);
      group.push(record);
    }
  }
  return [...found].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : 1));
}

function groupOf(records: readonly RewardRecord[], scale: number): RewardGroup {
  const average = averageOf(records);
  return {
    records: records.length,
    average: average === null ? null : Math.round(average * 1000) / 1000,
    trend: trendOf(records, scale),
  };
}

/** Compares the newer half of the dated records with the older one; of an odd number the middle one is left out. */
function trendOf(records: readonly RewardRecord[], scale: number): Trend {
  const dated = records.flatMap((record) => (record.atMs === null ? [] : [{ ...record, atMs: record.atMs }]));
  const sorted = dated.sort((a, b) => a.atMs - b.atMs || a.reward - b.reward);
  const half = Math.floor(sorted.length / 2);
  const older = averageOf(sorted.slice(0, half));
  const newer = averageOf(sorted.slice(-half));
  if (sorted.length < MIN_TREND || older === null || newer === null) {
    return 'unknown';
  }
  // Rounded, because 0.85 − 0.7 is a little more than 0.15 to a computer.
  const change = Math.round((newer - older) * 1e6) / 1e6;
  if (Math.abs(change) <= MIN_CHANGE * scale) {
    return 'stable';
  }
  return change > 0 ? 'improving' : 'degrading';
}

/** Adds from small to large, because sums of fractions depend on their order and the answer must not. */
function averageOf(records: readonly { readonly reward: number }[]): number | null {
  const rewards = records.map(({ reward }) => reward).sort((a, b) => a - b);
  const sum = rewards.reduce((total, reward) => total + reward, 0);
  return records.length === 0 ? null : sum / records.length;
}
