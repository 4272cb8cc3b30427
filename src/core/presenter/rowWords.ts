import type { WorkerSnapshot } from '../protocol/snapshot';
import { parseTimestamp } from '../protocol/workers/timestamp';
import { formatDuration } from './formatDuration';
import { plainLine } from './plainText';
import type { Reader } from './words';

const HALF_A_DAY_MS = 12 * 60 * 60 * 1000;

/** What was said, with a dot between; what was not said leaves no gap. */
export function joined(...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' · ');
}

/** `HH:mm` of an instant, or null where it is not known. */
export function clockTime(at: number | null, reader: Reader): string | null {
  return at === null ? null : reader.timeOfDay(at).slice(0, 5);
}

/** An instant to come: its clock time, with its day where that lies half a day ahead. */
export function comingTime(at: number, reader: Reader): string {
  return at - reader.now < HALF_A_DAY_MS ? reader.timeOfDay(at).slice(0, 5) : reader.dayAndTime(at);
}

/** How long ago something was. */
export function ageOf(at: number, reader: Reader): string {
  return formatDuration(reader.now - at);
}

type Stopped = Pick<WorkerSnapshot, 'stop' | 'exit' | 'endedAt' | 'evidence'>;

function askedAt({ stop, evidence }: Stopped): number | null {
  const flag = evidence.find((one) => one.source === 'stop flag');
  return parseTimestamp(stop?.at ?? null) ?? flag?.at ?? null;
}

/** `stopping · asked 8 s ago` */
export function stoppingWords(stopped: Stopped, reader: Reader): string {
  const at = askedAt(stopped);
  const asked = at === null ? null : reader.t('asked {0} ago', ageOf(at, reader));
  return joined(reader.t('stopping'), asked);
}

/** `stopped by you · 14:31` */
export function stoppedWords({ exit, stop, endedAt }: Stopped, reader: Reader): string {
  const { t } = reader;
  const by = exit?.requestedBy ?? stop?.requestedBy ?? null;
  const text =
    by === null ? t('stopped') : by === 'vscode' ? t('stopped by you') : t('stopped by {0}', plainLine(by, 12));
  return joined(text, clockTime(endedAt, reader));
}

/** `rate limit, till 14:30 · 4m 10s`: when it goes on, and how long that is; then it waits for whoever leads. */
export function parkedWords(
  { nextStartAt: until, exit }: Pick<WorkerSnapshot, 'nextStartAt' | 'exit'>,
  reader: Reader,
): string {
  const { t, now } = reader;
  if (exit !== null && exit.class !== 'rate limited') {
    return t('did not start, is started once more');
  }
  return until === null || until <= now
    ? t('rate limit is over, goes on soon')
    : joined(t('rate limit, till {0}', clockTime(until, reader) ?? ''), formatDuration(until - now));
}

/** Once its time has come it waits for whoever leads, or for a free slot. */
export function backoffWords(
  { at, nth, of }: { readonly at: number | null; readonly nth: number; readonly of: number },
  { t, now }: Reader,
): string {
  return at === null || at <= now
    ? t('waits to restart ({0} of {1})', nth, of)
    : t('restarts in {0} ({1} of {2})', formatDuration(at - now), nth, of);
}
