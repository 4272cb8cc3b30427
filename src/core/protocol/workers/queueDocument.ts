import * as z from 'zod/mini';
import { type AskedFor, askedFor } from './askedFor';
import { parseLooseJson } from './looseJson';
import { formatTimestamp, parseTimestamp } from './timestamp';
import { isWorkerTypeName } from './workerId';

export const QUEUE_MAX_BYTES = 256 * 1024;
/** More starts than anybody waits for; beyond it somebody queues by mistake. */
export const QUEUE_MAX_LENGTH = 100;

/** A start that waits for a free slot; it is not a worker yet (lifecycle §3). */
export interface QueuedStart extends AskedFor {
  readonly id: string;
  readonly type: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

const startShape = z.object({
  id: z.string(),
  type: z.string(),
  since: z.string(),
  engine: z.optional(z.unknown()),
  isolation: z.optional(z.unknown()),
});
const documentShape = z.object({ version: z.literal(1), queue: z.array(z.unknown()) });

/** Reads `queue.json`, oldest first. What is no queued start is left out; never throws. */
export function readQueueDocument(text: string): readonly QueuedStart[] {
  const parsed = parseLooseJson(text);
  const document = documentShape.safeParse(parsed.ok ? parsed.value : null);
  return document.success ? document.data.queue.flatMap(queuedStart).slice(0, QUEUE_MAX_LENGTH) : [];
}

/** `queue.json` with these starts. */
export function formatQueueDocument(queue: readonly QueuedStart[]): string {
  const starts = queue.map(({ since, ...start }) => ({ ...start, since: formatTimestamp(since) }));
  return `${JSON.stringify({ version: 1, queue: starts }, null, 2)}\n`;
}

function queuedStart(raw: unknown): readonly QueuedStart[] {
  const shape = startShape.safeParse(raw);
  const since = shape.success ? parseTimestamp(shape.data.since) : null;
  return shape.success && since !== null && isWorkerTypeName(shape.data.type)
    ? [{ id: shape.data.id, type: shape.data.type, since, ...askedFor(shape.data.engine, shape.data.isolation) }]
    : [];
}
