import type { Violation } from './keeper/isolationRecord';

/**
 * What an audit found, e.g. `changed researches/x during the run (and 2 more)`. It names no culprit: others may have run
 * at the same time, and a person may have edited (workers.md §5). Empty without any violation.
 */
export function violationText(violations: readonly Violation[]): string {
  const [first, ...others] = violations;
  if (first === undefined) {
    return '';
  }
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `${first.change} ${first.path} during the run${more}`;
}
