import { fail } from '../base/result';
import type { WorkerType } from '../protocol/workers/workerType';
import type { ClaimedFolder } from '../registry/claimFolder';
import { freeSpace } from '../system/freeSpace';
import type { Outcome, Refusal } from './api';
import { enterRegistry, type StartOrder } from './enterRegistry';
import type { HostContext } from './hostContext';

const MEGABYTE = 1024 * 1024;
/** The fuse of lifecycle §9 for the disk: room for one worker's log, which is bounded at 50 MB. */
const FREE_DISK_FLOOR = 64 * MEGABYTE;

/**
 * Lets a validated start in: room on the disk, a line in the event log, then its place in the registry. A start that
 * cannot be written down is refused before anything is made for it, so that nothing that was accepted is lost.
 */
export async function admitStart(
  type: WorkerType,
  order: StartOrder,
  host: HostContext,
): Promise<Outcome<ClaimedFolder>> {
  const { journal, workersDir } = host;
  const { requestedBy: by } = order.request;
  const refusal = diskRefusal(await freeSpace(workersDir), workersDir);
  if (refusal !== null) {
    return fail(refusal);
  }
  const written = await journal.require({ type: 'StartRequested', data: { workerType: type.name, by } });
  if (!written.ok) {
    return written;
  }
  const entered = await enterRegistry(type, order, host);
  if (entered.ok) {
    noteStarted(entered.value, type, order, host);
  } else {
    journal.note({ type: 'StartRefused', data: { workerType: type.name, code: entered.error.code } });
  }
  return entered;
}

/** Why nothing may be started with so many bytes left; null where it may, or nobody knows. */
function diskRefusal(freeBytes: number | null, folder: string): Refusal | null {
  if (freeBytes === null || freeBytes >= FREE_DISK_FLOOR) {
    return null;
  }
  const [free, floor] = [freeBytes, FREE_DISK_FLOOR].map((bytes) => String(Math.floor(bytes / MEGABYTE)));
  return {
    code: 'disk-full',
    message: `Nothing is started: ${free} MB are free on the disk that holds ${folder}, and ${floor} MB must be. Free some space and try again.`,
  };
}

function noteStarted(
  { workerId: worker, startedAt }: ClaimedFolder,
  { name: workerType }: WorkerType,
  { request, retryOf }: StartOrder,
  { journal }: HostContext,
): void {
  const at = new Date(startedAt).toISOString();
  const data = { worker, workerType, startedAt: at, by: request.requestedBy, found: false };
  journal.note({ type: 'WorkerStarted', data });
  if (retryOf !== null) {
    journal.note({ type: 'WorkerRetried', data: { worker, retryOf } });
  }
}
