import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock';
import { errorCode } from '../base/errorText';
import type { Liveness } from '../protocol/keeper/processIdentity';
import { createExclusive, writeFileAtomic } from '../system/atomicFile';
import { readBounded } from '../system/boundedRead';
import { ownerLiveness, type FileOwner } from '../system/fileOwner';
import { LeaseTrace } from './leaseTrace';
import { epochsIn, formatLeaseRecord, leaseFileName, parseLeaseRecord, type LeaseRecord } from './leaseRecord';
import { highestObeyedEpoch } from './obeyedEpoch';
import { refusalOf, type RegistryRefusal } from './registryRefusal';

const LEASE_MAX_BYTES = 16 * 1024;
const MAX_ROUNDS = 20;
/** An empty lease after a power cut would keep everybody from leading. */
const DURABLE = { fsync: true };

export interface LeaseOptions {
  readonly workersDir: string;
  readonly surface: string;
  /** Where followers reach this process. */
  readonly endpoint: string;
  /** Secret of that endpoint; it also tells two leases of one process apart. */
  readonly nonce: string;
  /** This process. */
  readonly owner: FileOwner;
  readonly clock: Clock;
}

/** The owner of the lease, with what this machine says about it. Never `dead`: a dead owner holds nothing. */
export interface LeaseHolder extends LeaseRecord {
  readonly liveness: Liveness;
}

export type LeaseAttempt =
  | { readonly kind: 'leading'; readonly epoch: number }
  | { readonly kind: 'held'; readonly holder: LeaseHolder }
  /** There is no workers folder yet, and a lease does not make one. */
  | { readonly kind: 'no folder' }
  | { readonly kind: 'failed'; readonly error: RegistryRefusal };

/** The right to lead one root (lifecycle §6). At any instant the highest epoch's file alone says who has it. */
export interface Lease {
  /** Takes the lease where nobody has it, its owner gave it up, or its owner is provably dead; never by age. */
  tryAcquire(): Promise<LeaseAttempt>;
  /** Who leads; null when nobody does or the owner is provably dead. */
  read(): Promise<LeaseHolder | null>;
  /** True while `epoch` is the highest and ours. A process that was suspended learns here that it lost. */
  verify(epoch: number): Promise<boolean>;
  /** Gives the lease up at once. Its epoch is never used again. */
  release(): Promise<void>;
}

/** The highest lease file: what it says, or why it says nothing. */
type Highest =
  | { readonly epoch: number; readonly record: LeaseRecord }
  | { readonly epoch: number; readonly record: null; readonly reason: string };

/** Opens the lease of a workers folder. Touches no file. */
export function openLease(options: LeaseOptions): Lease {
  const trace = new LeaseTrace(options.workersDir, options.clock);
  return {
    tryAcquire: async () => {
      try {
        return await acquire(options);
      } catch (error) {
        return { kind: 'failed', error: refusalOf(error, 'take the lead', options.workersDir) };
      }
    },
    read: async () => {
      const highest = await readHighest(options.workersDir);
      return highest === null ? null : await holderOf(highest);
    },
    verify: async (epoch) =>
      await trace.holds(epoch, async () => {
        const highest = await readHighest(options.workersDir);
        return highest?.epoch === epoch && isOurs(options, highest) && highest.record?.released === null;
      }),
    release: async () => {
      await release(options);
    },
  };
}

async function acquire(options: LeaseOptions): Promise<LeaseAttempt> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const attempt = await acquireOnce(options);
    if (attempt !== null) {
      return attempt;
    }
  }
  return failed(`The lease in ${options.workersDir} changes too fast to be taken. Try again in a moment.`);
}

/** One round; null when another process moved in between and the files must be read again. */
async function acquireOnce(options: LeaseOptions): Promise<LeaseAttempt | null> {
  const epochs = await listEpochs(options.workersDir);
  if (epochs === null) {
    return { kind: 'no folder' };
  }
  const top = epochs[0];
  if (top === undefined) {
    // Not always 1: somebody may have deleted a damaged lease, as its message advises.
    return await claimEpoch(options, (await highestObeyedEpoch(options.workersDir)) + 1);
  }
  const highest = await readLease(options.workersDir, top);
  if (highest === null) {
    return null;
  }
  if (highest.record === null) {
    const file = join(options.workersDir, leaseFileName(top));
    return failed(`Nobody can lead: ${file} ${highest.reason}. Delete it if no Rollcall runs on this folder.`);
  }
  if (isOurs(options, highest) && highest.record.released === null) {
    return { kind: 'leading', epoch: top };
  }
  const holder = await holderOf(highest);
  return holder === null ? await claimEpoch(options, top + 1) : { kind: 'held', holder };
}

async function claimEpoch(options: LeaseOptions, epoch: number): Promise<LeaseAttempt | null> {
  const file = join(options.workersDir, leaseFileName(epoch));
  const made = await createExclusive(file, formatLeaseRecord(ownRecord(options, epoch)), DURABLE);
  if (!made) {
    return null;
  }
  const epochs = (await listEpochs(options.workersDir)) ?? [];
  if (epochs[0] !== epoch) {
    // We looked before others took and passed this epoch, so our file came too late to mean anything.
    await rm(file, { force: true });
    return null;
  }
  await removeLeases(
    options.workersDir,
    epochs.filter((other) => other < epoch),
  );
  return { kind: 'leading', epoch };
}

function ownRecord(options: LeaseOptions, epoch: number): LeaseRecord {
  const { owner, surface, clock, nonce, endpoint } = options;
  const since = new Date(clock.now()).toISOString();
  return { epoch, ...owner, surface, since, nonce, endpoint, released: null };
}

async function release(options: LeaseOptions): Promise<void> {
  const highest = await readHighest(options.workersDir);
  if (highest === null || highest.record === null || !isOurs(options, highest)) {
    return;
  }
  const released = { ...highest.record, released: new Date(options.clock.now()).toISOString() };
  await writeFileAtomic(join(options.workersDir, leaseFileName(highest.epoch)), formatLeaseRecord(released), DURABLE);
}

function isOurs({ owner, nonce }: LeaseOptions, { record }: Highest): boolean {
  return record?.pid === owner.pid && record.startTime === owner.startTime && record.nonce === nonce;
}

async function holderOf({ record }: Highest): Promise<LeaseHolder | null> {
  if (record === null || record.released !== null) {
    return null;
  }
  const liveness = await ownerLiveness(record);
  return liveness === 'dead' ? null : { ...record, liveness };
}

async function readHighest(workersDir: string): Promise<Highest | null> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const top = (await listEpochs(workersDir))?.[0];
    if (top === undefined) {
      return null;
    }
    const highest = await readLease(workersDir, top);
    if (highest !== null) {
      return highest;
    }
  }
  return null;
}

/** Null when the file went away, i.e. a higher epoch replaced it. */
async function readLease(workersDir: string, epoch: number): Promise<Highest | null> {
  const reading = await readBounded(join(workersDir, leaseFileName(epoch)), LEASE_MAX_BYTES);
  if (reading.kind === 'absent') {
    return null;
  }
  if (reading.kind !== 'ok') {
    return { epoch, record: null, reason: 'cannot be read' };
  }
  const record = parseLeaseRecord(reading.text);
  return record?.epoch === epoch ? { epoch, record } : { epoch, record: null, reason: 'is damaged' };
}

async function listEpochs(workersDir: string): Promise<number[] | null> {
  try {
    return epochsIn(await readdir(workersDir));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

/** The oldest first: whoever finds its own file finds the one behind it as well, if there was any (leaseTrace.ts). */
async function removeLeases(workersDir: string, epochs: readonly number[]): Promise<void> {
  for (const epoch of [...epochs].sort((a, b) => a - b)) {
    await rm(join(workersDir, leaseFileName(epoch)), { force: true });
  }
}

function failed(message: string): LeaseAttempt {
  return { kind: 'failed', error: { code: 'failed', message } };
}
