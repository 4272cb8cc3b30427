import * as z from 'zod/mini';
import { fail, ok, type Result } from '../../base/result';
import { wholeNumber } from './wholeNumber';
import { parseLooseJson } from './looseJson';
import { plainRecord } from './plainRecord';
import type { Progress, StatusDocument } from './registryEntry';
import { STATUS_MAX_BYTES } from './sizeLimits';
import { foldStatusWord } from './statusWord';
import { formatTimestamp, parseTimestamp } from './timestamp';

export { STATUS_MAX_BYTES };

const text = z.catch(z.nullable(z.string()), null);

const time = z.pipe(
  text,
  z.transform((raw): string | null => {
    const ms = parseTimestamp(raw);
    return ms === null ? null : formatTimestamp(ms);
  }),
);

const progress = z.pipe(z.unknown(), z.transform(progressOf));

const error = z.pipe(
  z.unknown(),
  z.transform((raw): string | null => {
    if (raw === null || raw === undefined || raw === '') {
      return null;
    }
    return typeof raw === 'string' ? raw : JSON.stringify(raw);
  }),
);

const documentShape = z.object({
  worker_id: text,
  type: text,
  started_at: time,
  completed_at: time,
  progress: z.optional(progress),
  error: z.optional(error),
});

/**
 * Reads a worker's status.json tolerantly: only a missing or unknown status word and what is no JSON object is
 * refused, with one plain sentence; any other value of the wrong type reads as absent. Never throws.
 */
export function readStatusDocument(content: string): Result<StatusDocument, string> {
  if (content.length > STATUS_MAX_BYTES) {
    return fail('status.json is larger than 64 KiB');
  }
  const parsed = parseLooseJson(content);
  if (!parsed.ok) {
    return fail(`status.json ${parsed.error}`);
  }
  const record = plainRecord(parsed.value);
  return record === null ? fail('status.json is not a JSON object') : statusDocumentOf(record);
}

function statusDocumentOf(record: Readonly<Record<string, unknown>>): Result<StatusDocument, string> {
  const status = foldStatusWord(record['status']);
  if (status === null || status === 'unknown') {
    return fail(`status.json has no status that the protocol knows (${quoted(record['status'])})`);
  }
  const shape = documentShape.safeParse(record);
  if (!shape.success) {
    return fail('status.json does not have the shape of the protocol');
  }
  const { worker_id, type, started_at, completed_at } = shape.data;
  const shown = shape.data.progress ?? null;
  return ok({ worker_id, type, status, started_at, completed_at, progress: shown, error: shape.data.error ?? null });
}

function progressOf(raw: unknown): Progress | null {
  if (typeof raw === 'string' && raw.trim() !== '') {
    return { phase: raw, items_processed: 0, total_items: null };
  }
  const record = plainRecord(raw);
  if (record === null) {
    return null;
  }
  const phase = record['phase'];
  const total = wholeNumber(record['total_items']);
  return {
    phase: typeof phase === 'string' && phase.trim() !== '' ? phase : null,
    items_processed: wholeNumber(record['items_processed']) ?? 0,
    total_items: total === 0 ? null : total,
  };
}

function quoted(raw: unknown): string {
  return raw === undefined ? 'the key is missing' : `it says ${JSON.stringify(raw).slice(0, 60)}`;
}
