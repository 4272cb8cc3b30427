import * as z from 'zod/mini';
import { parseLooseJson } from './looseJson';
import type { ScheduleRecord } from './schedule';
import { parseTimestamp } from './timestamp';
import { isWorkerTypeName } from './workerId';

/** More than any list of schedules needs. */
export const SCHEDULES_MAX_BYTES = 256 * 1024;

export type ScheduleRecords = ReadonlyMap<string, ScheduleRecord>;

const instant = z.pipe(
  z.string().check(z.refine((text) => parseTimestamp(text) !== null)),
  z.transform((text) => parseTimestamp(text) ?? 0),
);
const recordShape = z.object({
  cron: z.string(),
  handledAt: instant,
  lastAt: z.nullable(instant),
  claim: z.nullable(z.object({ tick: instant, at: instant })),
});
const documentShape = z.object({ version: z.literal(1), schedules: z.record(z.string(), z.unknown()) });

/**
 * Reads `schedules.json`. A record that is not one is left out, and so is everything of a document that is not ours: its
 * schedules then begin anew. Never throws.
 */
export function readScheduleDocument(text: string): ScheduleRecords {
  const parsed = parseLooseJson(text);
  const document = documentShape.safeParse(parsed.ok ? parsed.value : null);
  const found = Object.entries(document.success ? document.data.schedules : {});
  return new Map(
    found.flatMap(([type, value]) => {
      const record = recordShape.safeParse(value);
      return isWorkerTypeName(type) && record.success ? [[type, record.data]] : [];
    }),
  );
}

/** `schedules.json` with these records; instants are ISO 8601 UTC. */
export function formatScheduleDocument(records: ScheduleRecords): string {
  const schedules = Object.fromEntries([...records].map(([type, record]) => [type, plain(record)]));
  return `${JSON.stringify({ version: 1, schedules }, null, 2)}\n`;
}

function plain({ cron, handledAt, lastAt, claim }: ScheduleRecord): object {
  return {
    cron,
    handledAt: iso(handledAt),
    lastAt: lastAt === null ? null : iso(lastAt),
    claim: claim === null ? null : { tick: iso(claim.tick), at: iso(claim.at) },
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
