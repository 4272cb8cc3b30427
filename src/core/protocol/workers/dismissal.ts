import type { Attention } from '../snapshot';
import type { RegistryEntry } from './registryEntry';

/** The registry's key for what a person has put away of this worker; one of the kinds below. */
const KEY = 'dismissed';

/** What can be put away: it is over, and nothing of it waits for an answer. */
const KINDS: readonly Attention['kind'][] = ['failed', 'gave-up', 'violation'];

/** Whether a person may put this away without settling it. */
export function canDismiss({ kind }: Attention): boolean {
  return KINDS.includes(kind);
}

/** Whether a person has put exactly this away; a failure stays so when its last retry is used up. */
export function isDismissed({ extra }: RegistryEntry, { kind }: Attention): boolean {
  return extra[KEY] === nameOf(kind);
}

/** The entry with this put away. */
export function withDismissed(entry: RegistryEntry, { kind }: Attention): RegistryEntry {
  return { ...entry, extra: { ...entry.extra, [KEY]: nameOf(kind) } };
}

function nameOf(kind: Attention['kind']): string {
  return kind === 'gave-up' ? 'failed' : kind;
}
