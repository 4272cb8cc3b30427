import type { Message } from './message';

/** Deeper values are left out of a clipped message; a surface shows none of them. */
const MAX_DEPTH = 4;

/**
 * The message with at most about `most` characters of payload: enough to show it, never enough to fill the memory.
 * The same object where it is short enough already.
 */
export function clipMessage(message: Message, most: number): Message {
  const budget = { left: most, clipped: false };
  const payload = clipRecord(message.payload, budget, 1);
  return budget.clipped ? { ...message, payload } : message;
}

/** What may still be kept, and whether anything was not. */
interface Budget {
  left: number;
  clipped: boolean;
}

function clipRecord(record: Readonly<Record<string, unknown>>, budget: Budget, depth: number): Record<string, unknown> {
  return Object.fromEntries(clipEntries(Object.entries(record), budget, depth));
}

function clipEntries(
  entries: readonly (readonly [string, unknown])[],
  budget: Budget,
  depth: number,
): readonly (readonly [string, unknown])[] {
  const kept: (readonly [string, unknown])[] = [];
  for (const [key, value] of entries) {
    budget.left -= key.length + 1;
    if (budget.left < 0 || depth > MAX_DEPTH) {
      budget.clipped = true;
      break;
    }
    kept.push([key, clipValue(value, budget, depth)]);
  }
  return kept;
}

function clipValue(value: unknown, budget: Budget, depth: number): unknown {
  if (typeof value === 'string') {
    return clipText(value, budget);
  }
  if (typeof value !== 'object' || value === null) {
    budget.left -= 8;
    return value;
  }
  return Array.isArray(value)
    ? clipEntries(Object.entries(value), budget, depth + 1).map(([, item]) => item)
    : clipRecord(value as Record<string, unknown>, budget, depth + 1);
}

function clipText(text: string, budget: Budget): string {
  const kept = text.slice(0, Math.max(0, budget.left));
  budget.left -= text.length;
  if (kept.length === text.length) {
    return text;
  }
  budget.clipped = true;
  return `${kept}…`;
}
