import type { KeeperRecord } from './keeperRecord';
import type { ProcessIdentity } from './processIdentity';

export interface KeeperClaim {
  readonly workerId: string;
  /** For the keeper that closes the claim where the starter died. */
  readonly nonce: string;
  readonly starter: ProcessIdentity;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/**
 * What stands in keeper.json from the claim of a worker's folder until its keeper is there: the process that starts it.
 * Whoever finds that one dead knows that nothing was ever spawned.
 */
export function keeperClaim(claim: KeeperClaim): KeeperRecord {
  const { workerId, nonce, starter, at } = claim;
  return {
    v: 1,
    workerId,
    nonce,
    keeper: starter,
    process: null,
    command: [],
    started: at,
    endpoint: '',
    epoch: 0,
    attempts: [],
    stop: null,
    output: { rawOffset: 0, logBytes: 0, droppedBytes: 0 },
  };
}

/** Whether the record is that of a process that only wanted to start a keeper. Such a one listens nowhere. */
export function isKeeperClaim({ endpoint }: Pick<KeeperRecord, 'endpoint'>): boolean {
  return endpoint === '';
}
