import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 50;

/** Resolves with the first value other than undefined and false that `probe` gives; rejects, naming `what`, after `ms`. */
export async function waitUntil<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  ms = 45_000,
): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) {
      return value;
    }
    if (performance.now() > end) {
      throw new Error(`waited ${ms} ms in vain for: ${what}`);
    }
    await delay(pollMs);
  }
}
