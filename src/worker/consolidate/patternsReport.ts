import type { AntiPattern, Pattern } from './patternTally';

/** `patterns.json`, exactly these keys in this order (workers.md §2). */
export interface PatternsReport {
  readonly generated_at: string;
  readonly worker_id: string;
  readonly cases_analyzed: number;
  readonly patterns: readonly Pattern[];
  readonly anti_patterns: readonly AntiPattern[];
  readonly recommendations: readonly string[];
}
