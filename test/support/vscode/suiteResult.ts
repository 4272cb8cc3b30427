import { existsSync, readFileSync } from 'node:fs';

/** What the suite's entry (test/vscode/suite/index.ts) writes when it has come to its end. */
export interface SuiteReport {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
  /** Those that were run a second time, each with what it said the first time. */
  readonly retried: readonly string[];
}

/** How a run in one VS Code went; `trouble` says why it can't be trusted, whatever the counts are. */
export interface SuiteResult extends SuiteReport {
  readonly trouble?: string;
}

/** Names of the environment variables between the launcher and the suite. */
export const suiteVariables = { report: 'ROLLCALL_SUITE_REPORT', output: 'ROLLCALL_SUITE_OUTPUT' } as const;

/**
 * The result of a run whose host reported success or failure. A killed extension host makes VS Code report success, so only a
 * written report counts, and only one in which a test passed.
 */
export function judgeSuite(reportFile: string, trouble: string | undefined): SuiteResult {
  const none: SuiteReport = { passed: [], failed: [], skipped: [], retried: [] };
  if (!existsSync(reportFile)) {
    return { ...none, trouble: trouble ?? 'the suite did not come to its end' };
  }
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as SuiteReport;
  const doubt = report.passed.length + report.failed.length === 0 ? 'the suite ran no test' : trouble;
  return doubt === undefined ? report : { ...report, trouble: doubt };
}
