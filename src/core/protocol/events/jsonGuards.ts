/** The value of a JSON text, or undefined where it is none. Never throws. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON is one way of not being what was looked for; the caller's guard says so.
    return undefined;
  }
}

/** True for what is written `{…}` in JSON. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
