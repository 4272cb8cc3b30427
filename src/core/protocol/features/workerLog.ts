import { type JsonRecord, readRecord, textAt } from './jsonFields';
import { newestOf, utcInstant } from './instant';
import { eventOf } from './readState';
import type { RunEvent } from './stateDocument';

/** When a worker's JSONL log last spoke, epoch milliseconds, by feature; `''` for lines that name none. */
export type LogActivity = ReadonlyMap<string, number>;

/**
 * The newest line of each feature in JSON lines. A line that is cut off, at either end, counts as none. Read from the
 * end: times only grow, so the first line that is found for a feature is its newest.
 */
export function readLogActivity(text: string): LogActivity {
  const newest = new Map<string, number>();
  for (const line of text.split('\n').reverse()) {
    const record = recordOf(line);
    const at = record === null ? null : utcInstant(textAt(record, 'ts') ?? textAt(record, 'timestamp'));
    if (record !== null && at !== null) {
      const feature = textAt(record, 'feature') ?? '';
      newest.set(feature, newestOf([at, newest.get(feature) ?? null]) ?? at);
    }
  }
  return newest;
}

/** Null for a line that is cut off, without the work of finding that out. A mark of the byte order stands before the first. */
function recordOf(line: string): JsonRecord | null {
  return line.trimStart().startsWith('{') ? readRecord(line) : null;
}

/** The events of a `{feature}-events.jsonl`; what is no event is left out. */
export function readEventLines(text: string): readonly RunEvent[] {
  return text.split('\n').flatMap((line) => {
    const record = recordOf(line);
    return record === null ? [] : [eventOf(record)];
  });
}
