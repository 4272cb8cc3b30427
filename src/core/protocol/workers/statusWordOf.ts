import { plainRecord } from './plainRecord';
import { parseLooseJson } from './looseJson';
import type { StatusWord } from './registryEntry';
import { STATUS_MAX_BYTES } from './sizeLimits';
import { foldStatusWord } from './statusWord';

/** What a status.json says a worker's status is, or null where it says nothing that can be understood. Never throws. */
export function statusWordOf(text: string): StatusWord | null {
  const parsed = text.length <= STATUS_MAX_BYTES ? parseLooseJson(text) : null;
  const document = parsed?.ok === true ? plainRecord(parsed.value) : null;
  const word = foldStatusWord(document?.['status']);
  return word === 'unknown' ? null : word;
}
