import { fail, ok } from '../base/result';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { canDismiss, withDismissed } from '../protocol/workers/dismissal';
import type { Dismissal, Outcome, Refusal } from './api';
import type { HostContext } from './hostContext';
import { noteInEntry } from './noteInEntry';
import { resetFuse } from './resetFuse';

/**
 * Takes what a worker needs a person for out of the inbox, without settling it: the registry says so from then on. A blown
 * fuse is reset by that. What waits for an answer, or cannot be read, stays.
 */
export async function dismissWorker(worker: WorkerSnapshot, host: HostContext): Promise<Outcome<Dismissal>> {
  const { workerId, attention } = worker;
  if (attention?.kind === 'fuse') {
    const reset = await resetFuse(worker, host);
    return reset.ok ? ok({ workerId, message: reset.value.message }) : reset;
  }
  const refusal = refusalOf(worker);
  if (refusal !== null || attention === null) {
    return fail<Refusal>({ code: 'wrong-state', message: refusal ?? `Nothing in the inbox is of worker ${workerId}.` });
  }
  const written = await noteInEntry(host, workerId, (entry) => withDismissed(entry, attention));
  return written.ok ? ok({ workerId, message: `Worker ${workerId} is out of the inbox.` }) : written;
}

function refusalOf({ workerId, attention, problem }: WorkerSnapshot): string | null {
  if (problem !== null) {
    return `Worker ${workerId} cannot be read and stays in the inbox. Mend or remove what it says.`;
  }
  return attention === null || canDismiss(attention)
    ? null
    : `Worker ${workerId} waits for an answer: rollcall allow|deny|answer ${workerId}.`;
}
