import type { Progress } from '../protocol/workers/registryEntry';
import { plainLine } from './plainText';

const WORD_LIMIT = 14;

function firstWord(phase: string | null): string {
  const [word = ''] = plainLine(phase ?? '').split(' ');
  return plainLine(word, WORD_LIMIT);
}

function count(progress: Progress): string {
  if (progress.total_items !== null && progress.total_items > 0) {
    return `${progress.items_processed}/${progress.total_items}`;
  }
  return progress.items_processed > 0 ? String(progress.items_processed) : '';
}

/** How far a worker is, number first because a narrow sidebar cuts the end: `3/7 scanning`; empty when it has not said. */
export function shortProgress(progress: Progress | null): string {
  return progress === null ? '' : [count(progress), firstWord(progress.phase)].filter((part) => part !== '').join(' ');
}

/** The same with the whole phase: `3/7 scanning researches`. */
export function fullProgress(progress: Progress | null): string {
  return progress === null
    ? ''
    : [count(progress), plainLine(progress.phase ?? '')].filter((part) => part !== '').join(' ');
}

/** What a finished worker got done: `6/6`, or the number that it counted without a total; empty when it counted none. */
export function finalCount(progress: Progress | null): string {
  return progress === null ? '' : count(progress);
}
