import type { EngineRemedy } from '../core/protocol/engines/engineRemedy';
import type { ExitClass, ExitRecord } from '../core/protocol/keeper/exitRecord';

const WORDS: Partial<Record<ExitClass, string>> = {
  'asked to stop': 'ended because it was asked to stop',
  'out of memory': 'was killed because the memory ran out',
  'never started': 'was never started, because the program that was starting it ended first',
  'unknown exit': 'ended while nobody could see how',
  'rate limited': 'was held up by a rate limit',
  auth: 'was refused, because its program is not logged in',
};

const REMEDIES: Readonly<Record<EngineRemedy, string>> = {
  'log in': 'Log in to its program, then retry.',
  'check configuration': 'Check the engine and the model in workers.json, then retry.',
  'raise limit': 'Raise the limit, then retry.',
  wait: 'Retry when the limit is over.',
  retry: 'Retry it.',
};

/** How a worker ended, and what to do or where to look. */
export function exitText(exit: ExitRecord): string {
  const { says, remedy, resetsAt } = exit;
  const parts = [
    `The worker ${wordsOf(exit)}${says === undefined ? '' : `: ${says.replace(/[.\s]+$/, '')}`}.`,
    resetsAt === undefined ? '' : `The limit is over at ${resetsAt}.`,
    remedy === undefined ? '' : REMEDIES[remedy],
    'Read worker.log in its folder for what it did last.',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function wordsOf(exit: ExitRecord): string {
  return exit.reason === undefined ? (WORDS[exit.class] ?? byNumbers(exit)) : `was ended, because ${exit.reason}`;
}

function byNumbers({ class: exitClass, code, signal }: ExitRecord): string {
  if (exitClass === 'killed by someone else') {
    return `was killed by someone else with ${signal ?? 'a signal'}`;
  }
  return code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`;
}
