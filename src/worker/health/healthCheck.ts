import { errorText } from '../../core/base/errorText';
import { formatTimestamp } from '../../core/protocol/workers/timestamp';
import type { Work, WorkContext } from '../builtinType';
import { brainState } from './brainState';
import type { Check, CheckContext, CheckOutcome } from './check';
import { dataFreshness } from './dataFreshness';
import { governanceIntegrity } from './governanceIntegrity';
import { healthReport, type NamedOutcome } from './healthReport';
import { skillTrustTiers } from './skillTrustTiers';
import { witnessChain } from './witnessChain';
import { workerSystem } from './workerSystem';

const checks: readonly Check[] = [
  skillTrustTiers,
  governanceIntegrity,
  dataFreshness,
  witnessChain,
  workerSystem,
  brainState,
];

/** The worker type `health-check`: six checks, then `output/health-report.json`. */
export function healthCheck(context: WorkContext): Work {
  const { project, clock, workerId, workersRoot } = context;
  const outcomes: NamedOutcome[] = [];
  const checkContext: CheckContext = { project, now: clock.now(), workerId, workersRoot };
  return {
    items: checks.map((check) => ({
      phase: `checking ${check.name}`,
      name: check.name,
      async run() {
        const outcome = await carryOut(check, checkContext);
        outcomes.push({ name: check.name, ...outcome });
        return `${outcome.status} — ${outcome.message}`;
      },
    })),
    finishPhase: 'writing results',
    async finish() {
      const report = healthReport(formatTimestamp(clock.now()), workerId, outcomes);
      await context.outputs.write('health-report.json', `${JSON.stringify(report, null, 2)}\n`);
      const { overall_status: overall, passed, warnings, failures } = report.summary;
      return `${overall}: ${passed} passed, ${warnings} warned, ${failures} failed; see output/health-report.json`;
    },
  };
}

/** A check that cannot read what it needs has not passed, and keeps none of the others from running. */
async function carryOut(check: Check, context: CheckContext): Promise<CheckOutcome> {
  try {
    return await check.run(context);
  } catch (error) {
    return {
      status: 'fail',
      message: `could not be carried out: ${errorText(error)}`,
      details: [],
      recommendations: [`Make the files of ${check.name} readable and run the health check again.`],
    };
  }
}
