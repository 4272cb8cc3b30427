import type { ProjectReader } from '../project/projectReader';

/** How a check ended, in the report's words (workers.md §2). */
export type CheckStatus = 'pass' | 'warn' | 'fail';

/** What a check may look at. It reads files and nothing else, so the same project gives the same answer. */
export interface CheckContext {
  readonly project: ProjectReader;
  /** Epoch ms. */
  readonly now: number;
  /** The worker that runs the check. */
  readonly workerId: string;
  /** Project-relative, or null when the workers root lies outside the project. */
  readonly workersRoot: string | null;
}

/** One of the six checks. */
export interface Check {
  readonly name: string;
  run(context: CheckContext): Promise<CheckOutcome>;
}

export interface CheckOutcome {
  readonly status: CheckStatus;
  /** One sentence for a person. */
  readonly message: string;
  /** Each finding in full, then what else is worth knowing. */
  readonly details: readonly string[];
  /** What to do about the findings, each once. */
  readonly recommendations: readonly string[];
}

/** Something that is not as it should be. */
export interface Finding {
  readonly level: 'warn' | 'fail';
  readonly text: string;
  readonly advice: string;
}

/** The outcome that follows from the findings: the worst one gives the status and its text leads the message. */
export function conclude(summary: string, findings: readonly Finding[], notes: readonly string[] = []): CheckOutcome {
  const worst = findings.find(({ level }) => level === 'fail') ?? findings[0];
  const details = [...findings.map(({ text }) => text), ...notes];
  if (worst === undefined) {
    return { status: 'pass', message: summary, details, recommendations: [] };
  }
  const more = findings.length === 1 ? '' : ` (and ${findings.length - 1} more)`;
  return {
    status: worst.level,
    message: `${worst.text}${more}`,
    details,
    recommendations: [...new Set(findings.map(({ advice }) => advice))],
  };
}
