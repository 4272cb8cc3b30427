import { spoken } from '../workerRow';

/** What a row is called for who hears it: the words that its icon stands for go first, unless they are said anyway. */
export function spokenOnce(label: string, words: readonly string[], description: string): string {
  return spoken(label, ...[...new Set(words)].filter((word) => !description.includes(word)), description);
}
