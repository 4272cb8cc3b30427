import { isKeeperClaim } from '../protocol/keeper/keeperClaim';
import type { WorkerFacts } from '../protocol/workerFacts';

/**
 * Whether a worker that was asked to stop lives on without the keeper that would have gone on with it: then nothing
 * happens until somebody who leads puts a new keeper over it.
 */
export function isStopLeft({ entry, keeper, stopFlagAt }: WorkerFacts): boolean {
  if (keeper === null || keeper.keeper !== 'dead' || keeper.process !== 'alive') {
    return false;
  }
  return entry.status === 'stop-requested' || keeper.record.stop !== null || stopFlagAt !== null;
}

/** Whether the process that was starting this worker is gone, and no keeper came to be. */
export function isClaimLeft({ keeper }: WorkerFacts): boolean {
  return keeper !== null && keeper.keeper === 'dead' && isKeeperClaim(keeper.record);
}
