import { parseArgs } from 'node:util';
import { messagePlanOf } from './messagePlan';
import { playMessages } from './messageRound';

/**
 * Chaos on messages by hand. Each round has another seed: S, S+1, … What does not hold is printed with the kills that led
 * to it.
 */
async function main([programs = '', agents = '', ...args]: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '1' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      agents: { type: 'string', default: '20' },
      old: { type: 'string', default: '3' },
      messages: { type: 'string', default: '100000' },
      kills: { type: 'string', default: '60' },
      trace: { type: 'boolean', default: false },
    },
  });
  const amounts = {
    agents: Number(values.agents),
    oldAgents: Number(values.old),
    messages: Number(values.messages),
    kills: Number(values.kills),
  };
  let broken = 0;
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const plan = messagePlanOf(Number(values.seed) + round, amounts);
    const { safe, seconds, kills, violations, trace } = await playMessages(plan, { programs, agents });
    say(`seed ${String(plan.seed)}: ${String(safe)} messages, ${String(kills)} kills, ${seconds.toFixed(0)} s`);
    if (violations.length > 0 || values.trace) {
      say([...trace.map((line) => `    ${line}`), ...violations.map((line) => `  ✗ ${line}`)].join('\n'));
    }
    broken += violations.length > 0 ? 1 : 0;
  }
  process.exitCode = broken === 0 ? 0 : 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

void main(process.argv.slice(2));
