import * as z from 'zod/mini';
import { inMegabytes, type LogShare, MEGABYTE } from '../fleetFuse';
import { parseLooseJson } from './looseJson';
import { formatTimestamp, parseTimestamp } from './timestamp';

export const FUSES_MAX_BYTES = 64 * 1024;

/** What is remembered of the fuse for all logs together (lifecycle §9). */
export interface LogsFuseRecord {
  /** What a person has accepted by a reset, bytes: the limit counts from there. 0 where nobody has. */
  readonly acceptedBytes: number;
  readonly blown: BlownLogs | null;
}

interface BlownLogs {
  /** Epoch milliseconds, whole seconds. */
  readonly at: number;
  readonly limitMB: number;
  readonly bytes: number;
  readonly biggest: readonly LogShare[];
}

export interface MeasuredLogs {
  readonly bytes: number;
  /** The biggest first. */
  readonly biggest: readonly LogShare[];
}

/** `limitMB` is the most that there may be, `now` epoch milliseconds. */
export interface MeasureRule {
  readonly limitMB: number;
  readonly now: number;
}

export const wholeFuse: LogsFuseRecord = { acceptedBytes: 0, blown: null };

const size = z.number().check(z.gte(0));
const documentShape = z.object({
  version: z.literal(1),
  logs: z.object({
    acceptedBytes: size,
    blown: z.nullable(
      z.object({
        at: z.string(),
        limitMB: size,
        bytes: size,
        biggest: z.array(z.object({ of: z.string(), bytes: size })),
      }),
    ),
  }),
});

/** Reads `fuses.json`. A document that is not ours tells of no fuse. Never throws. */
export function readFuseDocument(text: string): LogsFuseRecord {
  const parsed = parseLooseJson(text);
  const document = documentShape.safeParse(parsed.ok ? parsed.value : null);
  if (!document.success) {
    return wholeFuse;
  }
  const { acceptedBytes, blown } = document.data.logs;
  const at = parseTimestamp(blown?.at ?? null);
  return { acceptedBytes, blown: blown === null || at === null ? null : { ...blown, at } };
}

/** `fuses.json` with this record. */
export function formatFuseDocument({ acceptedBytes, blown }: LogsFuseRecord): string {
  const shown = blown === null ? null : { ...blown, at: formatTimestamp(blown.at) };
  return `${JSON.stringify({ version: 1, logs: { acceptedBytes, blown: shown } }, null, 2)}\n`;
}

/**
 * The record after the logs were measured: the very same one where nothing changed. It blows above the limit, counted from
 * what a person accepted, and is whole again once there is less, e.g. behind `gc`.
 */
export function fuseAfterMeasure(
  before: LogsFuseRecord,
  { bytes, biggest }: MeasuredLogs,
  { limitMB, now }: MeasureRule,
): LogsFuseRecord {
  const limit = limitMB * MEGABYTE;
  // What was accepted and is there no longer must not make room for more.
  const acceptedBytes = bytes <= limit ? 0 : Math.min(before.acceptedBytes, bytes);
  if (bytes <= limit + acceptedBytes) {
    return before.blown === null && acceptedBytes === before.acceptedBytes ? before : { acceptedBytes, blown: null };
  }
  // While it is blown, what runs may go on to write; a file that is written at each look would tell nobody more.
  const known = before.blown?.limitMB === limitMB && inMegabytes(before.blown.bytes) === inMegabytes(bytes);
  return known ? before : { acceptedBytes, blown: { at: before.blown?.at ?? now, limitMB, bytes, biggest } };
}

/** The record after a person's reset: the limit counts anew from what there is. */
export function fuseAfterReset({ bytes }: MeasuredLogs): LogsFuseRecord {
  return { acceptedBytes: bytes, blown: null };
}
