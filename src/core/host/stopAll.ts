import type { WorkerSnapshot } from '../protocol/snapshot';
import { isActive } from '../protocol/workers/statusWord';
import type { HostApi, StopAllReport, StopRequest } from './api';

/** So many stops are asked for at once. */
const AT_A_TIME = 20;

/** Stops everything of one root by single stops; see `HostApi.stopAll`. */
export async function stopAll(
  request: Omit<StopRequest, 'worker'>,
  host: Pick<HostApi, 'look' | 'stop' | 'dequeue'>,
): Promise<StopAllReport> {
  const { queue } = await host.look();
  const taken = await Promise.all(queue.map(async ({ id }) => host.dequeue(id)));
  // A start that was made meanwhile is one of the workers now.
  const { workers } = await host.look();
  const going = workers.filter(
    (worker) => goesOn(worker) || (request.force && (worker.state === 'stopping' || worker.pid !== null)),
  );
  const { stopped, refused } = await stopEach(going, request, host);
  const others = await stoppedByOthers(refused, host);
  const isOthers = new Set(others.map(({ workerId }) => workerId));
  return {
    stopped: [...stopped, ...others],
    refused: refused.filter(({ workerId }) => !isOthers.has(workerId)),
    dequeued: taken.flatMap((one) => (one.ok ? [one.value] : [])),
  };
}

/** Some at a time, so that many are stopped soon and no lock is asked for by all. */
async function stopEach(
  workers: readonly WorkerSnapshot[],
  request: Omit<StopRequest, 'worker'>,
  host: Pick<HostApi, 'stop'>,
): Promise<Pick<StopAllReport, 'stopped' | 'refused'>> {
  const stopped: StopAllReport['stopped'][number][] = [];
  const refused: StopAllReport['refused'][number][] = [];
  for (let from = 0; from < workers.length; from += AT_A_TIME) {
    const some = workers.slice(from, from + AT_A_TIME);
    const outcomes = await Promise.all(some.map(async ({ workerId }) => host.stop({ ...request, worker: workerId })));
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.ok) {
        stopped.push(outcome.value);
      } else {
        refused.push({ workerId: some[index]?.workerId ?? '', error: outcome.error });
      }
    }
  }
  return { stopped, refused };
}

function goesOn({ entry, state }: WorkerSnapshot): boolean {
  return isActive(entry.status) || state === 'backoff';
}

/** Somebody else asked the same at the same time: then these stop all the same, or have stopped by now. */
async function stoppedByOthers(
  refused: StopAllReport['refused'],
  host: Pick<HostApi, 'look'>,
): Promise<StopAllReport['stopped']> {
  const suspects = new Set(refused.filter(({ error }) => error.code === 'wrong-state').map(({ workerId }) => workerId));
  if (suspects.size === 0) {
    return [];
  }
  const { workers } = await host.look();
  return workers
    .filter(({ workerId, state, endedAt }) => suspects.has(workerId) && (state === 'stopping' || endedAt !== null))
    .map(({ workerId, entry }) => ({
      workerId,
      status: entry.status,
      message: `Worker ${workerId} was asked to stop by somebody else.`,
    }));
}
