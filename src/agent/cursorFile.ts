import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { readCursor } from '../core/system/readCursor';

/** The number of the newest message that this agent ever began; survives the process. Without a path it does not. */
export class CursorFile {
  readonly #path: string | undefined;
  #value: number;

  constructor(path: string | undefined) {
    this.#path = path;
    this.#value = path === undefined ? 0 : readCursor(path);
  }

  get value(): number {
    return this.#value;
  }

  /** Notes on the disk that the message was begun, before anybody acts on it. */
  advance(seq: number): void {
    if (seq <= this.#value) {
      return;
    }
    this.#value = seq;
    if (this.#path !== undefined) {
      // In place and never cut: the number only grows, so no crash leaves less than a number.
      const file = openSync(this.#path, constants.O_CREAT | constants.O_WRONLY, 0o600);
      writeSync(file, String(seq), 0);
      closeSync(file);
    }
  }
}
