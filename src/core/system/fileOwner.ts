import { hostname } from 'node:os';
import type { Liveness, ProcessIdentity } from '../protocol/keeper/processIdentity';
import { bootId, livenessOf, ownIdentity } from './processIdentity';

/** Who holds a lock or lease: a process on a machine, since one boot of it. */
export interface FileOwner extends ProcessIdentity {
  readonly host: string;
  readonly bootId: string;
}

/** This process as an owner. */
export async function ownFileOwner(): Promise<FileOwner> {
  return { ...(await ownIdentity()), host: hostname(), bootId: await bootId() };
}

/** Whether the owner still lives. One on another host is never provably dead (lifecycle §6): `unknown`. */
export async function ownerLiveness(owner: FileOwner): Promise<Liveness> {
  if (owner.host !== hostname()) {
    return 'unknown';
  }
  return owner.bootId === (await bootId()) ? await livenessOf(owner) : 'dead';
}

/** Reads an owner out of parsed JSON; null when anything is missing or of a wrong type. */
export function readFileOwner(value: unknown): FileOwner | null {
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  const { pid, startTime, host, bootId: boot } = value as Readonly<Record<string, unknown>>;
  if (
    typeof pid !== 'number' ||
    typeof startTime !== 'string' ||
    typeof host !== 'string' ||
    typeof boot !== 'string'
  ) {
    return null;
  }
  return { pid, startTime, host, bootId: boot };
}
