import type { ExitRecord } from './exitRecord';

/** How much longer than it must a rate-limited worker waits at most: this part of its wait, and never more than so long. */
const JITTER_PART = 0.1;
const JITTER_MS = 60_000;

/**
 * Until when a rate-limited worker waits, epoch milliseconds: until the service takes requests again, or `unknownMs` where
 * nobody said when that is, and a little longer, so that those who were stopped at once do not come back at once. How much
 * longer follows from the exit itself: every look at it says the same.
 */
export function parkedUntil({ at, resetsAt }: Pick<ExitRecord, 'at' | 'resetsAt'>, unknownMs: number): number {
  const parsed = Date.parse(at);
  const endedAt = Number.isNaN(parsed) ? 0 : parsed;
  const told = resetsAt === undefined ? Number.NaN : Date.parse(resetsAt);
  const waitMs = Number.isNaN(told) ? unknownMs : Math.max(0, told - endedAt);
  const share = ((endedAt * 7919) % 1000) / 1000;
  return endedAt + waitMs + Math.round(share * Math.min(waitMs * JITTER_PART, JITTER_MS));
}
