import { Cron } from 'croner';

/** When a schedule comes due. Instants are epoch milliseconds; null where there is none. */
export interface CronRule {
  /** The first tick after `after`. */
  next(after: number): number | null;
  /** The newest tick at or before `upTo`. */
  newest(upTo: number): number | null;
}

/** Five fields, or a word for them; seconds and years are no business of a worker that runs for minutes. */
const FORM = /^\s*(?:\S+(?:\s+\S+){4}|@(?:hourly|daily|midnight|weekly|monthly|yearly|annually))\s*$/i;

/**
 * Reads a cron expression: minute, hour, day, month and weekday, or `@daily` and its like, in `timeZone` (that of the
 * machine where none is named). A tick that a change to summer time leaves out comes when the clock has changed; one
 * that a change to winter time repeats comes once. Null where it is no such expression. Never throws.
 */
export function parseCron(expression: string, timeZone?: string): CronRule | null {
  if (!FORM.test(expression)) {
    return null;
  }
  try {
    const options = timeZone === undefined ? { paused: true } : { paused: true, timezone: timeZone };
    return ruleOf(new Cron(expression.trim(), options));
  } catch {
    // The library throws for what it cannot read; which part that was, its words do not say plainly.
    return null;
  }
}

function ruleOf(cron: Cron): CronRule {
  // Asked every second, and a day that no calendar has takes the library long to look for.
  let known: { readonly after: number; readonly next: number | null } = { after: Number.POSITIVE_INFINITY, next: null };
  return {
    next: (after) => {
      if (after < known.after || (known.next !== null && after >= known.next)) {
        known = { after, next: cron.nextRun(new Date(after))?.getTime() ?? null };
      }
      return known.next;
    },
    // The library leaves the instant itself out.
    newest: (upTo) => cron.previousRuns(1, new Date(upTo + 1))[0]?.getTime() ?? null,
  };
}
