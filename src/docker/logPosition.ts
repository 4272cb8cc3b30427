import { constants, openSync, readFileSync, writeSync } from 'node:fs';

const WIDTH = 80;
/** As engines write them, all of one length. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;

/**
 * How far a container's output was copied: the instant of the last piece, and how many pieces of that very instant.
 * Written behind each piece, so that
 * whoever goes on after a crash doubles a piece at most and loses none.
 */
export class LogPosition {
  readonly #fd: number;
  #at: string;
  #pieces: number;

  /** Throws when the disk refuses. */
  constructor(file: string) {
    const [at = '', pieces = '0'] = textOf(file).trim().split(' ');
    this.#at = INSTANT.test(at) ? at : '';
    this.#pieces = Number(pieces) || 0;
    this.#fd = openSync(file, constants.O_WRONLY | constants.O_CREAT, 0o600);
  }

  /** As the engine's `since` wants it; pieces of that instant come again. */
  get since(): string {
    const [, seconds = '', nanos = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(this.#at) ?? [];
    const time = Date.parse(`${seconds}Z`);
    return Number.isNaN(time) ? '0' : `${Math.floor(time / 1000)}.${nanos.padEnd(9, '0')}`;
  }

  /** A reader of the pieces from `since` on: tells of each whether it is new. */
  newOnes(): (at: string) => boolean {
    const from = this.#at;
    let known = this.#pieces;
    return (at) => {
      if (at !== from) {
        return at > from;
      }
      known -= 1;
      return known < 0;
    };
  }

  /** A piece of that instant was copied. */
  passed(at: string): void {
    this.#pieces = at === this.#at ? this.#pieces + 1 : 1;
    this.#at = at;
    writeSync(this.#fd, `${at} ${this.#pieces}`.padEnd(WIDTH), 0);
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Nothing was copied yet.
    return '';
  }
}
