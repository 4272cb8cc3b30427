import { readFileSync } from 'node:fs';

/** The number of the newest message that an agent ever began (privateWire.ts); 0 without a file that says one. */
export function readCursor(path: string): number {
  try {
    const value = Number(readFileSync(path, 'latin1'));
    return Number.isSafeInteger(value) ? value : 0;
  } catch {
    // No file yet: no message was ever begun.
    return 0;
  }
}
