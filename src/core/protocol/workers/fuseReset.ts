import type { BlownFuse } from '../keeper/fuse';
import type { RegistryEntry } from './registryEntry';

/** The registry's key for when the fuse blew that a person has reset since; ISO 8601 UTC. */
const KEY = 'fuse_reset';
/** The same of its output, which has ended nobody: it makes no retry possible. */
const OUTPUT_KEY = 'output_fuse_reset';

/** Whether a person has reset a fuse that ended this worker (lifecycle §9). */
export function hasResetFuse({ extra }: RegistryEntry): boolean {
  return typeof extra[KEY] === 'string';
}

/** Whether exactly this fuse was reset. */
export function isFuseReset({ extra }: RegistryEntry, fuse: BlownFuse): boolean {
  return extra[keyOf(fuse)] === fuse.at;
}

/** The entry with this fuse reset. */
export function withFuseReset(entry: RegistryEntry, fuse: BlownFuse): RegistryEntry {
  return { ...entry, extra: { ...entry.extra, [keyOf(fuse)]: fuse.at } };
}

function keyOf({ fuse }: BlownFuse): string {
  return fuse === 'output' ? OUTPUT_KEY : KEY;
}
