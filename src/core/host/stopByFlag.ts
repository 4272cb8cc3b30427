import { join } from 'node:path';
import { ok } from '../base/result';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { raiseStopFlag } from '../registry/stopFlag';
import type { Outcome, StopAccepted } from './api';

/**
 * Stops a worker of ours on a disk that takes neither a lease nor a word in the registry, because the one that fills it must
 * be stopped too: an empty flag needs no room, and its keeper looks at it by itself (workers.md §4.5). Null where that is
 * no way: nothing runs behind it, or the disk does not take the flag either.
 */
export async function stopByFlag(worker: WorkerSnapshot): Promise<Outcome<StopAccepted> | null> {
  const { workerId, folder, owned, pid } = worker;
  if (!owned || pid === null) {
    return null;
  }
  const flag = await raiseStopFlag(join(folder, 'stop-requested'));
  const message = `Stop requested for worker ${workerId} by its flag alone, because the disk is full.
Its keeper ends it after its grace. The registry says so once there is room: free some space.`;
  return flag.ok ? ok({ workerId, status: 'stop-requested', message }) : null;
}
