import { join } from 'node:path';
import { formatSessionLine } from '../protocol/actors/sessionEvent';
import { SessionFold } from '../protocol/actors/sessionFold';
import { emptySession, type SessionMoment } from '../protocol/actors/sessionMoment';
import { formatSession, readSession } from '../protocol/actors/sessionText';
import type { LogFormat, LogPlace } from './logFormat';

const MEBIBYTE = 1024 * 1024;

const format: LogFormat<SessionMoment> = {
  empty: emptySession,
  foldFrom: (moment) => new SessionFold(moment),
  formatMoment: formatSession,
  readMoment: readSession,
  formatLine: formatSessionLine,
  // A message has at most 1 MiB, of which each letter may become six, and names beside it.
  lineBytes: 8 * MEBIBYTE,
  batchLines: 512,
  segmentBytes: 8 * MEBIBYTE,
  keptOpenMs: 500,
};

/** The log of a session (actors.md §1). */
export function sessionLogIn(sessionDir: string): LogPlace<SessionMoment> {
  return { current: join(sessionDir, 'eventlog.jsonl'), closedDir: join(sessionDir, 'eventlog'), format };
}
