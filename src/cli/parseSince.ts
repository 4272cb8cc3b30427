import { InvalidArgumentError } from 'commander';
import type { EventsFrom } from '../core/host/eventReader';
import { parseSpan } from './parseSpan';

/**
 * Where `--since` begins: a sequence number (`120`), an age (`30m`, `2h`, `3d`) or an instant (`2026-03-01T14:30:00Z`).
 * `now` is epoch milliseconds.
 */
export function parseSince(text: string, now: number): EventsFrom {
  if (/^\d{1,15}$/.test(text)) {
    return { kind: 'seq', seq: Number(text) };
  }
  const span = parseSpan(text);
  const at = span === null ? instantOf(text) : now - span;
  if (Number.isNaN(at)) {
    throw new InvalidArgumentError('It must be a sequence number, an age like 30m or 2h, or an instant in ISO 8601.');
  }
  return { kind: 'time', at };
}

/** Only what names a day; Date would take much else for one. */
function instantOf(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Math.abs(at) <= 8.64e15 ? at : Number.NaN;
}
