import * as z from 'zod/mini';
import { wholeNumber } from './wholeNumber';
import { foreignKeys } from './plainRecord';
import { modelOfType } from './protocolTypes';
import type { RegistryEntry } from './registryEntry';
import { foldStatusWord } from './statusWord';
import { formatTimestamp, parseTimestamp } from './timestamp';
import { isWorkerId, outputDirOf, typeOfWorkerId } from './workerId';

/**
 * One place in the registry's list. A `bad` row is shown with its reason and written back as it was (workers.md
 * §4.15); its `workerId` is null unless it obeys the grammar and no other row has it.
 */
export type RegistryRow =
  | { readonly kind: 'entry'; readonly entry: RegistryEntry }
  | { readonly kind: 'bad'; readonly workerId: string | null; readonly reason: string; readonly raw: unknown };

const optionalText = (key: string): z.ZodMiniType<string | null | undefined> =>
  z.nullish(z.string(`${key} must be text`));

const entryShape = z.looseObject(
  {
    worker_id: z.string('worker_id is missing or not text').check(z.refine(isWorkerId, 'worker_id is no worker id')),
    type: optionalText('type'),
    status: z.optional(z.unknown()),
    model: optionalText('model'),
    started_at: z.string('started_at is missing or not text').check(z.refine(isTime, 'started_at is no time')),
    completed_at: z.nullish(
      z.string('completed_at must be text or null').check(z.refine(isTimeOrEmpty, 'completed_at is no time')),
    ),
    output_dir: optionalText('output_dir'),
    retry_count: z.nullish(
      z
        .union([z.number(), z.string()], 'retry_count must be a whole number')
        .check(z.refine((raw) => wholeNumber(raw) !== null, 'retry_count must be a whole number')),
    ),
  },
  'the entry is not a JSON object',
);

const KNOWN_KEYS = Object.keys(entryShape.shape);

/** Reads one element of the registry's list. Never throws. */
export function readRegistryRow(raw: unknown): RegistryRow {
  const shape = entryShape.safeParse(raw);
  if (!shape.success) {
    const reasons = shape.error.issues.map((issue) => issue.message);
    return badRow(raw, reasons.join('; '));
  }
  const status = shape.data.status ?? 'unknown';
  const word = foldStatusWord(status);
  return word === null
    ? badRow(raw, `status ${JSON.stringify(status).slice(0, 60)} is no status word of the protocol`)
    : { kind: 'entry', entry: entryOf(shape.data, word) };
}

function badRow(raw: unknown, reason: string): RegistryRow {
  const id: unknown = typeof raw === 'object' && raw !== null && 'worker_id' in raw ? raw.worker_id : null;
  return { kind: 'bad', workerId: typeof id === 'string' && isWorkerId(id) ? id : null, reason, raw };
}

function entryOf(shape: z.infer<typeof entryShape>, status: RegistryEntry['status']): RegistryEntry {
  const { worker_id, model, started_at, completed_at, output_dir, retry_count } = shape;
  const type = presentText(shape.type) ?? typeOfWorkerId(worker_id) ?? 'unknown';
  return {
    worker_id,
    type,
    status,
    model: presentText(model) ?? modelOfType(type),
    started_at: normalTime(started_at) ?? started_at,
    completed_at: normalTime(completed_at ?? null),
    output_dir: presentText(output_dir) ?? outputDirOf(worker_id),
    retry_count: wholeNumber(retry_count) ?? 0,
    extra: foreignKeys(shape, KNOWN_KEYS),
  };
}

function presentText(text: string | null | undefined): string | null {
  return text === undefined || text === null || text.trim() === '' ? null : text;
}

function normalTime(text: string | null): string | null {
  const ms = parseTimestamp(text);
  return ms === null ? null : formatTimestamp(ms);
}

function isTime(text: string): boolean {
  return parseTimestamp(text) !== null;
}

function isTimeOrEmpty(text: string): boolean {
  return text.trim() === '' || isTime(text);
}
