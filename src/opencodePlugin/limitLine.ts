import { numberAt, recordAt, textAt } from '../core/protocol/features/jsonFields';
import { plainRecord } from '../core/protocol/workers/plainRecord';

/** A wait of so long, milliseconds, is left to the program: its own tries without a word of the service are shorter. */
const WORTH_WAITING_MS = 60_000;

/**
 * What `opencodeStream` reads as a limit, as one line of JSON, where an event of opencode (seen with 1.18.33) says that it
 * waits until the service takes requests again, and that this is long; else null. `now` and its `resetsAt` are milliseconds
 * since 1970.
 */
export function limitLine(event: unknown, now: number): string | null {
  const told = plainRecord(event) ?? {};
  const properties = recordAt(told, 'properties');
  const status = recordAt(properties, 'status');
  const resetsAt = numberAt(status, 'next');
  const isWaiting = textAt(told, 'type') === 'session.status' && textAt(status, 'type') === 'retry';
  if (!isWaiting || resetsAt === null || resetsAt - now <= WORTH_WAITING_MS) {
    return null;
  }
  const [sessionID, message] = [textAt(properties, 'sessionID'), textAt(status, 'message')];
  return JSON.stringify({ type: 'limited', timestamp: now, sessionID, resetsAt, message });
}
