/** `leader.<epoch>.json` (lifecycle §6). Times are ISO 8601 UTC. */
export interface LeaseRecord {
  readonly epoch: number;
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly host: string;
  readonly surface: string;
  readonly since: string;
  /** Shared secret of the leader's control pipe; hex. */
  readonly nonce: string;
  readonly endpoint: string;
  /** When the owner gave the lease up, or null. The file stays, so that the next epoch is still a higher one. */
  readonly released: string | null;
}

const FILE_NAME = /^leader\.(\d{1,15})\.json$/;
const TEXT_KEYS = ['startTime', 'bootId', 'host', 'surface', 'since', 'nonce', 'endpoint'] as const;

/** The file name of an epoch's lease. */
export function leaseFileName(epoch: number): string {
  return `leader.${epoch}.json`;
}

/** The epochs among the names of a folder, highest first. */
export function epochsIn(names: readonly string[]): number[] {
  return names
    .map((name) => FILE_NAME.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => b - a);
}

/** The lease as one line of JSON. */
export function formatLeaseRecord(record: LeaseRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** Reads a lease; null when it is not one. Never throws: the file may be a stranger's. */
export function parseLeaseRecord(text: string): LeaseRecord | null {
  const value = parseObject(text);
  if (value === null) {
    return null;
  }
  const { epoch, pid, released } = value as { epoch?: unknown; pid?: unknown; released?: unknown };
  if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(pid)) {
    return null;
  }
  if (TEXT_KEYS.some((key) => typeof value[key] !== 'string')) {
    return null;
  }
  const texts = value as Record<(typeof TEXT_KEYS)[number], string>;
  return {
    epoch: epoch as number,
    pid: pid as number,
    startTime: texts.startTime,
    bootId: texts.bootId,
    host: texts.host,
    surface: texts.surface,
    since: texts.since,
    nonce: texts.nonce,
    endpoint: texts.endpoint,
    released: typeof released === 'string' ? released : null,
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    // Not JSON is one way of not being a lease.
    return null;
  }
}
