import { readRecord, textAt } from './jsonFields';
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
    const record = line.startsWith('{') ? readRecord(line) : null;
    const at = record === null ? null : utcInstant(textAt(record, 'ts') ?? textAt(record, 'timestamp'));
    if (record !== null && at !== null) {
      const feature = textAt(record, 'feature') ?? '';
      newest.set(feature, newestOf([at, newest.get(feature) ?? null]) ?? at);
    }
  }
  return newest;
}

/** The events of a `{feature}-events.jsonl`; what is no event is left out. */
export function readEventLines(text: string): readonly RunEvent[] {
  return text.split('\n').flatMap((line) => {
    const record = line.startsWith('{') ? readRecord(line) : null;
    return record === null ? [] : [eventOf(record)];
  });
}
