import type { CheckOutcome, CheckStatus } from './check';

export interface NamedOutcome extends CheckOutcome {
  readonly name: string;
}

export type OverallStatus = 'healthy' | 'degraded' | 'unhealthy';

/** `health-report.json`, exactly these keys in this order (workers.md §2). */
export interface HealthReport {
  readonly generated_at: string;
  readonly worker_id: string;
  readonly summary: {
    readonly total_checks: number;
    readonly passed: number;
    readonly warnings: number;
    readonly failures: number;
    readonly overall_status: OverallStatus;
  };
  readonly checks: readonly {
    readonly name: string;
    readonly status: CheckStatus;
    readonly message: string;
    readonly details: readonly string[];
  }[];
  readonly recommendations: readonly string[];
}

/** Puts the outcomes together in their order. `generatedAt` is a protocol timestamp. */
export function healthReport(generatedAt: string, workerId: string, outcomes: readonly NamedOutcome[]): HealthReport {
  const count = (wanted: CheckStatus): number => outcomes.filter(({ status }) => status === wanted).length;
  const [warnings, failures] = [count('warn'), count('fail')];
  return {
    generated_at: generatedAt,
    worker_id: workerId,
    summary: {
      total_checks: outcomes.length,
      passed: count('pass'),
      warnings,
      failures,
      overall_status: overallStatus(warnings, failures),
    },
    checks: outcomes.map(({ name, status, message, details }) => ({ name, status, message, details })),
    recommendations: [...new Set(outcomes.flatMap(({ recommendations }) => recommendations))],
  };
}

/** Any failure is unhealthy; three warnings or more are degraded (workers.md §2). */
export function overallStatus(warnings: number, failures: number): OverallStatus {
  if (failures > 0) {
    return 'unhealthy';
  }
  return warnings >= 3 ? 'degraded' : 'healthy';
}
