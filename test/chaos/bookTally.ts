import { closeSync, existsSync, openSync, readSync } from 'node:fs';

const READ_BYTES = 256 * 1024;

/** Counts the lines of an agent's notes by their first word. They grow fast, so each look reads what is new alone. */
export class BookTally {
  readonly #path: string;
  readonly #counts = new Map<string, number>();
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  look(): ReadonlyMap<string, number> {
    if (existsSync(this.#path)) {
      const file = openSync(this.#path, 'r');
      while (this.#readOn(file)) {
        // Until there is no whole line left.
      }
      closeSync(file);
    }
    return this.#counts;
  }

  #readOn(file: number): boolean {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const text = buffer.toString('latin1', 0, readSync(file, buffer, 0, READ_BYTES, this.#offset));
    const end = text.lastIndexOf('\n') + 1;
    this.#offset += end;
    for (const line of text.slice(0, end).split('\n')) {
      const word = line.slice(0, line.indexOf(' '));
      this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    }
    return end > 0;
  }
}
