import { wholeNumber } from './wholeNumber';
import { foreignKeys, plainRecord } from './plainRecord';
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

type Judge = (value: unknown) => string | null;

/** What is wrong with the value of each key that we know, in the words of the row's reason. */
const JUDGES: Readonly<Record<string, Judge>> = {
  worker_id: (value) =>
    typeof value !== 'string'
      ? 'worker_id is missing or not text'
      : isWorkerId(value)
        ? null
        : 'worker_id is no worker id',
  type: optionalText('type'),
  status: () => null,
  model: optionalText('model'),
  started_at: (value) =>
    typeof value !== 'string' ? 'started_at is missing or not text' : isTime(value) ? null : 'started_at is no time',
  completed_at: (value) =>
    isAbsent(value)
      ? null
      : typeof value !== 'string'
        ? 'completed_at must be text or null'
        : isTimeOrEmpty(value)
          ? null
          : 'completed_at is no time',
  output_dir: optionalText('output_dir'),
  retry_count: (value) =>
    isAbsent(value) || wholeNumber(value) !== null ? null : 'retry_count must be a whole number',
};

const KNOWN_KEYS = Object.keys(JUDGES);

/**
 * Reads one element of the registry's list. Never throws. Written by hand: a window reads a thousand of them at its start,
 * and a schema takes ten times as long.
 */
export function readRegistryRow(raw: unknown): RegistryRow {
  const record = plainRecord(raw);
  if (record === null) {
    return badRow(raw, 'the entry is not a JSON object');
  }
  const reasons = KNOWN_KEYS.map((key) => JUDGES[key]?.(record[key]) ?? null).filter((reason) => reason !== null);
  if (reasons.length > 0) {
    return badRow(raw, reasons.join('; '));
  }
  const status = record['status'] ?? 'unknown';
  const word = foldStatusWord(status);
  return word === null
    ? badRow(raw, `status ${JSON.stringify(status).slice(0, 60)} is no status word of the protocol`)
    : { kind: 'entry', entry: entryOf(record, word) };
}

function optionalText(key: string): Judge {
  return (value) => (isAbsent(value) || typeof value === 'string' ? null : `${key} must be text`);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function badRow(raw: unknown, reason: string): RegistryRow {
  const id: unknown = typeof raw === 'object' && raw !== null && 'worker_id' in raw ? raw.worker_id : null;
  return { kind: 'bad', workerId: typeof id === 'string' && isWorkerId(id) ? id : null, reason, raw };
}

/** Of a record that was judged good. */
function entryOf(record: Readonly<Record<string, unknown>>, status: RegistryEntry['status']): RegistryEntry {
  const worker_id = textOf(record['worker_id']) ?? '';
  const started_at = textOf(record['started_at']) ?? '';
  const type = presentText(record['type']) ?? typeOfWorkerId(worker_id) ?? 'unknown';
  return {
    worker_id,
    type,
    status,
    model: presentText(record['model']) ?? modelOfType(type),
    started_at: normalTime(started_at) ?? started_at,
    completed_at: normalTime(textOf(record['completed_at'])),
    output_dir: presentText(record['output_dir']) ?? outputDirOf(worker_id),
    retry_count: wholeNumber(record['retry_count']) ?? 0,
    extra: foreignKeys(record, KNOWN_KEYS),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function presentText(value: unknown): string | null {
  const text = textOf(value);
  return text === null || text.trim() === '' ? null : text;
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
