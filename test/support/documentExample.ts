import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One block of the protocol's document, to the letter, e.g. `status-table.txt`. */
export function documentExample(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../fixtures/background-workers/${name}`, import.meta.url)), 'utf8');
}
