import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CheckOutcome, conclude } from './check';
import { healthReport, overallStatus } from './healthReport';

function outcome(name: string, status: CheckOutcome['status'], recommendations: readonly string[] = []) {
  return { name, status, message: `${name} looked`, details: ['one thing'], recommendations };
}

describe('the health report', () => {
  it('has exactly the keys of the protocol, in its order', () => {
    const outcomes = [outcome('a', 'pass'), outcome('b', 'warn', ['do b']), outcome('c', 'warn', ['do b', 'do c'])];
    const report = healthReport('2026-03-01T14:35:00Z', 'wkr-20260301-143500-health-check', outcomes);
    expect(JSON.stringify(report)).toBe(
      JSON.stringify({
        generated_at: '2026-03-01T14:35:00Z',
        worker_id: 'wkr-20260301-143500-health-check',
        summary: { total_checks: 3, passed: 1, warnings: 2, failures: 0, overall_status: 'healthy' },
        checks: [
          { name: 'a', status: 'pass', message: 'a looked', details: ['one thing'] },
          { name: 'b', status: 'warn', message: 'b looked', details: ['one thing'] },
          { name: 'c', status: 'warn', message: 'c looked', details: ['one thing'] },
        ],
        recommendations: ['do b', 'do c'],
      }),
    );
  });

  it('calls two warnings healthy, three degraded, and any failure unhealthy', () => {
    expect([0, 2, 3, 6].map((warnings) => overallStatus(warnings, 0))).toEqual([
      'healthy',
      'healthy',
      'degraded',
      'degraded',
    ]);
    expect(overallStatus(0, 1)).toBe('unhealthy');
  });

  it('counts every check exactly once', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('pass', 'warn', 'fail')), (statuses) => {
        const { summary } = healthReport(
          '',
          '',
          statuses.map((status, index) => outcome(`${index}`, status)),
        );
        expect(summary.passed + summary.warnings + summary.failures).toBe(summary.total_checks);
        expect(summary.total_checks).toBe(statuses.length);
      }),
    );
  });
});

describe('the outcome of a check', () => {
  it('passes with its summary when nothing was found', () => {
    expect(conclude('all well', [], ['a note'])).toEqual({
      status: 'pass',
      message: 'all well',
      details: ['a note'],
      recommendations: [],
    });
  });

  it('leads with the worst finding and gives each advice once', () => {
    const findings = [
      { level: 'warn', text: 'small', advice: 'tidy' },
      { level: 'fail', text: 'grave', advice: 'repair' },
      { level: 'warn', text: 'small too', advice: 'tidy' },
    ] as const;
    expect(conclude('', findings)).toEqual({
      status: 'fail',
      message: 'grave (and 2 more)',
      details: ['small', 'grave', 'small too'],
      recommendations: ['tidy', 'repair'],
    });
  });
});
