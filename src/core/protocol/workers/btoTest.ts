import { parseLooseJson } from './looseJson';
import { plainRecord } from './plainRecord';
import { CLOCK_SLACK_MS, parseTimestamp } from './timestamp';

const DAY_MS = 86_400_000;
const FRONT_MATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---\s*(?:\r?\n|$)/;

/** A file that may tell of a bto-test. */
export interface BtoSource {
  readonly text: string;
  readonly mtimeMs: number;
  readonly now: number;
}

/**
 * When the newest evaluation of a `.judge-attestations.json` was completed (workers.md §6): by its own word where that
 * can be true, else by the file's mtime. Null for a file without evaluations. Epoch milliseconds.
 */
export function attestedAt({ text, mtimeMs, now }: BtoSource): number | null {
  const parsed = parseLooseJson(text);
  const evaluations = plainRecord(parsed.ok ? parsed.value : null)?.['evaluations'];
  if (!Array.isArray(evaluations) || evaluations.length === 0) {
    return null;
  }
  const times = evaluations.flatMap((evaluation: unknown) => {
    const completed = plainRecord(evaluation)?.['completed_at'];
    const at = typeof completed === 'string' ? parseTimestamp(completed) : null;
    return at !== null && at <= now + CLOCK_SLACK_MS ? [at] : [];
  });
  return times.length === 0 ? mtimeMs : times.reduce((a, b) => Math.max(a, b));
}

/**
 * When a skill's `bto_date` says that it was tested; null where its front matter has none that can be true. A mere day
 * means its begin, or the file's mtime where that falls on it. Epoch milliseconds.
 */
export function btoDateOf({ text, mtimeMs, now }: BtoSource): number | null {
  const frontMatter = FRONT_MATTER.exec(text)?.[1] ?? '';
  const value = /^[ \t]*bto_date[ \t]*:[ \t]*["']?([^"'#\r\n]+)/m.exec(frontMatter)?.[1]?.trim() ?? null;
  const at = parseTimestamp(value);
  if (value === null || at === null || at > now + CLOCK_SLACK_MS) {
    return null;
  }
  const isDay = value.length === 'YYYY-MM-DD'.length;
  return isDay && mtimeMs >= at && mtimeMs < at + DAY_MS ? mtimeMs : at;
}
