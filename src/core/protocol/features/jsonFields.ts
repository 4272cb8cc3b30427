import { isRecord, readJson } from '../events/jsonGuards';

/** What stands between `{` and `}` in a file of another program. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The object that a JSON text holds, or null. A byte order mark is taken off. Never throws. */
export function readRecord(text: string): JsonRecord | null {
  const value = readAny(text);
  return isRecord(value) ? value : null;
}

/** The value that a JSON text holds, or undefined. A byte order mark is taken off. Never throws. */
export function readAny(text: string): unknown {
  return readJson(text.startsWith('\uFEFF') ? text.slice(1) : text);
}

/** A text with something in it, or null. */
export function textAt(record: JsonRecord, key: string): string | null {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A finite number, or null. */
export function numberAt(record: JsonRecord, key: string): number | null {
  const value = record[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A whole number, also as quoted digits, or null. */
export function wholeAt(record: JsonRecord, key: string): number | null {
  return wholeOf(record[key]);
}

/** A whole number, also as quoted digits, or null. */
function wholeOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

/** An object, or an empty one where there is none. */
export function recordAt(record: JsonRecord, key: string): JsonRecord {
  const value = record[key];
  return isRecord(value) ? value : {};
}

/** The objects in a list; what is no object is left out. */
export function recordsAt(record: JsonRecord, key: string): readonly JsonRecord[] {
  return recordsOf(record[key]);
}

/** The objects in a list; what is no object is left out. */
export function recordsOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The texts in a list, or null where there is no list. */
export function textsAt(record: JsonRecord, key: string): readonly string[] | null {
  const value = record[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;
}

/** The objects of a map with their keys, or those of a list under the key that `named` finds in each. */
export function entriesAt(
  record: JsonRecord,
  key: string,
  named: (item: JsonRecord) => string | null,
): readonly (readonly [string, JsonRecord])[] {
  const value = record[key];
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([name, item]) => (isRecord(item) ? [[name, item] as const] : []));
  }
  return recordsOf(value).flatMap((item) => {
    const name = named(item);
    return name === null ? [] : [[name, item] as const];
  });
}
