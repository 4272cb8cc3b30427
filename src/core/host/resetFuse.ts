import { fail, ok } from '../base/result';
import { blownIn, fuseText } from '../protocol/keeper/fuse';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { isFuseReset, withFuseReset } from '../protocol/workers/fuseReset';
import type { FuseReset, Outcome, Refusal } from './api';
import type { HostContext } from './hostContext';
import { noteInEntry } from './noteInEntry';

/**
 * Takes note in the registry that a person has seen a worker's blown fuse: it asks for nobody any more, and another
 * worker may be started in place of one that it ended. The keeper's record keeps what happened.
 */
export async function resetFuse(worker: WorkerSnapshot, host: HostContext): Promise<Outcome<FuseReset>> {
  const { workerId, entry, fuses, endedAt } = worker;
  const blown = blownIn(fuses);
  if (blown === null || isFuseReset(entry, blown)) {
    return fail<Refusal>({ code: 'wrong-state', message: `Worker ${workerId} has no blown fuse.` });
  }
  const endsIt = blown.fuse !== 'output';
  if (endsIt && endedAt === null) {
    const message = `Worker ${workerId} is still being ended by its fuse. Reset it when it has stopped.`;
    return fail<Refusal>({ code: 'wrong-state', message });
  }
  const written = await noteInEntry(host, workerId, (one) => withFuseReset(one, blown));
  const message = `The fuse of worker ${workerId} is reset (${fuseText(blown)}).${endsIt ? ' It can be retried.' : ''}`;
  return written.ok ? ok({ workerId, fuse: fuseText(blown), message }) : written;
}
