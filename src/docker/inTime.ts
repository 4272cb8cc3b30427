import { setTimeout as pause } from 'node:timers/promises';

/** Rejects when the engine takes longer than `ms`; for questions that cannot be aborted. */
export async function inTime<T>(question: Promise<T>, ms: number): Promise<T> {
  const stop = new AbortController();
  const late = pause(ms, null, { signal: stop.signal }).then(() => {
    throw new Error(`no answer within ${ms / 1000} s`);
  });
  // Ends by the abort below, which is nobody's trouble.
  late.catch(() => undefined);
  try {
    return await Promise.race([question, late]);
  } finally {
    stop.abort();
  }
}
