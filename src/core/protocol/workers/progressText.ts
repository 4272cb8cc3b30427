import { displayText } from './displayText';
import type { Progress, RegistryEntry } from './registryEntry';
import { isTerminal } from './statusWord';
import { NOTHING } from './textTable';

/** A phase comes from a worker; a longer word would push the table off every screen. */
const LONGEST_WORD = 40;

/** The progress column of the status table (workers.md §3), e.g. `scanning (3/7)`, `6/6 checks` or `—`. */
export function progressText(entry: Pick<RegistryEntry, 'type' | 'status'>, progress: Progress | null): string {
  if (progress === null) {
    return NOTHING;
  }
  if (isTerminal(entry.status)) {
    const checked = entry.status === 'completed' && entry.type === 'health-check';
    return checked ? checksText(progress) : NOTHING;
  }
  const word = (displayText(progress.phase ?? '').split(' ')[0] ?? '').slice(0, LONGEST_WORD);
  return word === '' ? NOTHING : word + countText(progress);
}

function checksText({ items_processed, total_items }: Progress): string {
  const total = total_items ?? items_processed;
  return total === 0 ? NOTHING : `${String(items_processed)}/${String(total)} checks`;
}

function countText({ items_processed, total_items }: Progress): string {
  if (total_items !== null) {
    return ` (${String(items_processed)}/${String(total_items)})`;
  }
  return items_processed > 0 ? ` (${String(items_processed)})` : '';
}
