import { closeSync, openSync, readSync, statSync } from 'node:fs';

const TAIL_BYTES = 16 * 1024;
const TAIL_LINES = 50;

/** The last lines of a log, empty where there is none. Throws when it cannot be read. */
export function lastLinesOf(path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) {
    return '';
  }
  const fd = openSync(path, 'r');
  try {
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const length = readSync(fd, tail, 0, tail.length, size - tail.length);
    return tail.toString('utf8', 0, length).trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  } finally {
    closeSync(fd);
  }
}
