import type { BlownFuse } from '../keeper/fuse';
import type { RegistryEntry } from './registryEntry';

/** The registry's key for when the fuse blew that a person has reset since; ISO 8601 UTC. */
const KEY = 'fuse_reset';

/** Whether a person has reset a fuse of this worker (lifecycle §9). */
export function hasResetFuse({ extra }: RegistryEntry): boolean {
  return typeof extra[KEY] === 'string';
}

/** Whether exactly this fuse was reset. */
export function isFuseReset({ extra }: RegistryEntry, { at }: BlownFuse): boolean {
  return extra[KEY] === at;
}

/** The entry with this fuse reset. */
export function withFuseReset(entry: RegistryEntry, { at }: BlownFuse): RegistryEntry {
  return { ...entry, extra: { ...entry.extra, [KEY]: at } };
}
