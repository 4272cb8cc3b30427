import { fail } from '../base/result';
import type { WorkerType } from '../protocol/workers/workerType';
import type { ClaimedFolder } from '../registry/claimFolder';
import type { Outcome } from './api';
import { enterRegistry, type StartOrder } from './enterRegistry';
import type { HostContext } from './hostContext';
import { refusalByFuse } from './refusalByFuse';

/**
 * Lets a validated start in: the project's fuses are whole, a line in the event log, then its place in the registry. A start that
 * cannot be written down is refused before anything is made for it, so that nothing that was accepted is lost.
 */
export async function admitStart(
  type: WorkerType,
  order: StartOrder,
  host: HostContext,
): Promise<Outcome<ClaimedFolder>> {
  const { journal } = host;
  const { requestedBy: by } = order.request;
  const refusal = await refusalByFuse(host);
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
