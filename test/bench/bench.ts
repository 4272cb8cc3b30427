/** What a row must keep to. `ratio` bars compare with the reference that was measured in the same run. */
export interface Bar {
  readonly of: 'ratio' | 'value';
  readonly limit: number;
  readonly least?: true;
}

/** One line of the table. */
export interface BenchRow {
  readonly title: string;
  readonly unit: string;
  readonly value: number;
  readonly reference: { readonly title: string; readonly value: number } | null;
  /** None for figures that are only printed. */
  readonly bars: readonly Bar[];
  /** What a reader must know to judge the figures, or null. */
  readonly note: string | null;
}

export type Verdict = 'met' | 'MISSED' | 'GROSSLY MISSED' | '–';

/** What every measurement gets. */
export interface BenchContext {
  /** Fewer rounds and smaller amounts: shows that the measurement works. */
  readonly short: boolean;
  /** Absolute folder with the bundles of this build. */
  readonly distDir: string;
  /** Removed behind the run. */
  readonly tempDir: string;
  /** Runs a file of test/bench as a process of its own: its absolute bundle. */
  readonly script: (name: string) => Promise<string>;
}

/** A measurement and the words by which it can be chosen. */
export interface Bench {
  readonly name: string;
  readonly run: (context: BenchContext) => Promise<readonly BenchRow[]>;
}

/** A regression that no noise of a machine explains. */
const GROSS = 2;

/** Medians of two measurements that take turns, so that both meet the same noise. */
export async function alternate(
  rounds: number,
  ours: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<{ readonly ours: number; readonly reference: number }> {
  const times: { readonly ours: number[]; readonly reference: number[] } = { ours: [], reference: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.reference.push(await reference());
    times.ours.push(await ours());
  }
  return { ours: median(times.ours), reference: median(times.reference) };
}

/** Milliseconds that `job` takes. */
export async function timeOf(job: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await job();
  return performance.now() - started;
}

/** The middle one of the values, NaN for none. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that this share (0 to 1) of the values does not exceed, NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The value through the reference's; null without one. */
export function ratioOf({ value, reference }: BenchRow): number | null {
  return reference === null ? null : value / reference.value;
}

/** The worst that the row's bars say. */
export function verdictOf(row: BenchRow): Verdict {
  const excesses = row.bars.map((bar) => excessOf(bar, row));
  if (excesses.length === 0) {
    return '–';
  }
  const worst = Math.max(...excesses);
  return worst <= 1 ? 'met' : worst <= GROSS ? 'MISSED' : 'GROSSLY MISSED';
}

/** How many times the limit was reached; 1 is just met. A figure that could not be measured misses its bar. */
function excessOf({ of, limit, least }: Bar, row: BenchRow): number {
  const figure = of === 'value' ? row.value : (ratioOf(row) ?? Number.NaN);
  const excess = least === true ? limit / figure : figure / limit;
  return Number.isNaN(excess) ? Number.POSITIVE_INFINITY : excess;
}
