/** `value` as a record, or null where it is a list, null or no object. */
export function plainRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return isRecord(value) ? value : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `record` without the keys that its reader knows: what others wrote and must be kept. */
export function foreignKeys(
  record: Readonly<Record<string, unknown>>,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  const foreign = Object.keys(record).filter((key) => !known.includes(key));
  return Object.fromEntries(foreign.map((key) => [key, record[key]]));
}
