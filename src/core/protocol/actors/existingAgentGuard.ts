import { nestedIn } from './jsonWalk';
import type { Message } from './message';

/** Names that PowerShell keeps for itself in every object. */
const FORBIDDEN = new Set(['psobject', 'psbase', 'psadapted', 'psextended', 'pstypenames']);

const MAX_DEPTH = 64;

/**
 * Why an existing agent could not parse this message and would spin for ever (actors.md §2), as a phrase that goes on
 * after "the message"; null where it can.
 */
export function existingAgentFault(message: Message): string | null {
  if (message.type.trim() === '') {
    return 'has no type';
  }
  for (const { value, depth } of nestedIn(message)) {
    const fault = depth > MAX_DEPTH ? `is nested deeper than ${String(MAX_DEPTH)} levels` : keyFault(value);
    if (fault !== null) {
      return fault;
    }
  }
  return null;
}

function keyFault(value: object): string | null {
  if (Array.isArray(value)) {
    return null;
  }
  const seen = new Set<string>();
  for (const key of Object.keys(value)) {
    const fault = key === '' ? 'has an empty key' : nameFault(key, seen);
    if (fault !== null) {
      return fault;
    }
  }
  return null;
}

/** Both cases are compared, because there are letters that only one of them tells apart. */
function nameFault(key: string, seen: Set<string>): string | null {
  const lower = key.toLowerCase();
  const upper = `^${key.toUpperCase()}`;
  if (FORBIDDEN.has(lower)) {
    return `has a key ${lower}, which PowerShell keeps for itself`;
  }
  if (seen.has(lower) || seen.has(upper)) {
    return 'has keys that differ only in case';
  }
  seen.add(lower);
  seen.add(upper);
  return null;
}
