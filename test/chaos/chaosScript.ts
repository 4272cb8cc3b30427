import { parseArgs } from 'node:util';
import { type ChaosPlan, fleetPlanOf, planOf } from './chaosPlan';
import { playChaos } from './chaosRound';

/**
 * The chaos suite by hand: rounds with the seeds S, S+1, … until the time or the number of rounds is used up. Each
 * broken rule is printed with its seed and the steps that led to it. `--fleet N`: N workers at once.
 */
async function main([programs = '', fixtures = '', ...args]: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      fleet: { type: 'string', default: '0' },
      minutes: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      steps: { type: 'string', default: '40' },
      trace: { type: 'boolean', default: false },
    },
  });
  const stop = new AbortController();
  process.on('SIGINT', () => {
    stop.abort();
  });
  const until = Date.now() + Number(values.minutes) * 60_000;
  let broken = 0;
  let round = 0;
  for (; round < Number(values.rounds) && Date.now() < until && !stop.signal.aborted; round += 1) {
    const [seed, steps, fleet] = [Number(values.seed) + round, Number(values.steps), Number(values.fleet)];
    const plan = fleet === 0 ? planOf(seed, steps) : fleetPlanOf(seed, steps, fleet);
    broken += await playAndTell(plan, { programs, fixtures }, values.trace);
  }
  say(`${round} rounds from seed ${values.seed}, ${broken} of them broke a rule`);
  process.exitCode = broken === 0 ? 0 : 1;
}

async function playAndTell(
  plan: ChaosPlan,
  where: { readonly programs: string; readonly fixtures: string },
  trace: boolean,
): Promise<number> {
  const from = performance.now();
  const report = await playChaos(plan, where);
  const seconds = ((performance.now() - from) / 1000).toFixed(0);
  const disk = plan.smallDisk ? ', small disk' : '';
  const atOnce = plan.fleet === 0 ? '' : ` (${report.atOnce} of them at once)`;
  say(`seed ${plan.seed}: ${plan.windows} windows${disk}, ${report.workers} workers${atOnce}, ${seconds} s`);
  if (report.violations.length > 0 || trace) {
    say([...report.trace.map((line) => `    ${line}`), ...report.violations.map((line) => `  ✗ ${line}`)].join('\n'));
  }
  return report.violations.length > 0 ? 1 : 0;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

void main(process.argv.slice(2));
