/** What a worker may use before its keeper ends it (lifecycle §9); null leaves a fuse out. */
export interface FuseLimits {
  /** From its start, minutes. */
  readonly minutes: number | null;
  /** Of its whole tree, megabytes. */
  readonly memoryMB: number | null;
  /** What its program says that it spent, US dollars; absent in the records of older keepers. */
  readonly costUsd?: number | null;
}

/** A fuse that blew, with its number. */
export interface BlownFuse {
  readonly fuse: 'wall time' | 'memory' | 'spend' | 'output';
  /** Minutes, megabytes or US dollars. */
  readonly limit: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
}

/** What the keeper's record tells of fuses and of what they measure. */
export interface FuseRecord {
  readonly limits: FuseLimits;
  /** The one that ended it. */
  readonly blown: BlownFuse | null;
  /** That of its output, which drops what is too much and ends nobody; absent in the records of older keepers. */
  readonly output?: BlownFuse | null;
  /** The most that the main process had in memory, as last seen, bytes; null where the system does not tell. */
  readonly peakBytes: number | null;
}

/** A fuse with its number in few words, e.g. `wall time: 30 min`. */
export function fuseText({ fuse, limit }: Pick<BlownFuse, 'fuse' | 'limit'>): string {
  return `${fuse}: ${String(limit)} ${fuseUnits[fuse]}`;
}

const fuseUnits = { 'wall time': 'min', memory: 'MB', spend: 'USD', output: 'MB' } as const satisfies Record<
  BlownFuse['fuse'],
  string
>;

/** The fuse that a person should know of: the one that ended the worker, else that of its output; null where none blew. */
export function blownIn(fuses: FuseRecord | null | undefined): BlownFuse | null {
  return fuses?.blown ?? fuses?.output ?? null;
}

/** Whether a value from a file has the shape of a fuse record. */
export function isFuseRecord(value: unknown): value is FuseRecord {
  const { limits, blown, peakBytes, output = null } = (value ?? {}) as Record<string, unknown>;
  return (
    isFuseLimits(limits) && isNumberOrNull(peakBytes) && [blown, output].every((one) => one === null || isBlown(one))
  );
}

/** Whether a value has the shape of limits. */
export function isFuseLimits(value: unknown): value is FuseLimits {
  const { minutes, memoryMB, costUsd = null } = (value ?? { minutes: undefined }) as Record<string, unknown>;
  return [minutes, memoryMB, costUsd].every(isNumberOrNull);
}

function isBlown(value: unknown): boolean {
  const { fuse, limit, at } = (value ?? {}) as Record<string, unknown>;
  return String(fuse) in fuseUnits && typeof limit === 'number' && typeof at === 'string';
}

function isNumberOrNull(value: unknown): boolean {
  return value === null || typeof value === 'number';
}
