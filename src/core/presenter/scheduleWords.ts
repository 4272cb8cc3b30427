import type { ScheduleSnapshot } from '../protocol/snapshot';
import type { Reader } from './words';

/** What a type's row says about its schedule: when it comes next, or why it does not. */
export function scheduleWords({ nextAt, active, waiting }: ScheduleSnapshot, { t, dayAndTime }: Reader): string {
  if (!active) {
    return t('schedule rests: nobody leads');
  }
  if (waiting) {
    return t('due, waits for a free slot');
  }
  return nextAt === null ? t('schedule never comes') : t('next {0}', dayAndTime(nextAt));
}

/** The rows of a type's tooltip about its schedule. */
export function scheduleFacts(
  { cron, nextAt, lastAt, active }: ScheduleSnapshot,
  { t, dayAndTime }: Reader,
): readonly (readonly [string, string | null])[] {
  const rests = t('Nothing starts by itself before a window or program leads this project: start a worker once.');
  return [
    [t('Schedule'), cron],
    [t('Next start'), active ? (nextAt === null ? null : dayAndTime(nextAt)) : rests],
    [t('Last scheduled start'), lastAt === null ? null : dayAndTime(lastAt)],
  ];
}
