import { fail } from '../base/result';
import { entriesOf, type RegistryDocument } from '../protocol/workers/registryDocument';
import type { RegistryEntry } from '../protocol/workers/registryEntry';
import { askedForKeys } from '../protocol/workers/askedFor';
import { retryRefusal } from '../protocol/workers/retryRule';
import { isActive } from '../protocol/workers/statusWord';
import { formatTimestamp } from '../protocol/workers/timestamp';
import { outputDirOf } from '../protocol/workers/workerId';
import { limitText, notFoundText } from '../protocol/workers/workerTexts';
import type { WorkerType } from '../protocol/workers/workerType';
import { type ClaimedFolder, claimWorkerFolder, releaseWorkerFolder, signClaim } from '../registry/claimFolder';
import type { Outcome, Refusal, StartRequest } from './api';
import type { HostContext } from './hostContext';
import { refreshDocument } from './refreshDocument';

/** A start with what it goes back to. */
export interface StartOrder {
  readonly request: StartRequest;
  /** The worker that the new one is started in place of, or null. */
  readonly retryOf: string | null;
  /** A retry that nobody asked for: whoever was told to stop does not get one. */
  readonly byItself: boolean;
  /** The queued start that this one is, or null; it stands in the registry, so that no queued start comes twice. */
  readonly queueId: string | null;
}

/** A start that goes back to nothing. */
export function plainStart(request: StartRequest): StartOrder {
  return { request, retryOf: null, byItself: false, queueId: null };
}

/** The place of a new worker in the registry: what it is, and where it comes from. */
type Origin = Pick<RegistryEntry, 'retry_count' | 'extra'>;

/**
 * Enters a new worker as `starting`, under the registry lock: refresh, count against the limit, check what is retried,
 * claim the folder (workers.md §4.2, §4.9). A refusal leaves no folder behind.
 */
export async function enterRegistry(
  type: WorkerType,
  order: StartOrder,
  host: HostContext,
): Promise<Outcome<ClaimedFolder>> {
  const outcome: { value: Outcome<ClaimedFolder> } = {
    value: fail({ code: 'failed', message: 'The registry did not take the new worker. Try again.' }),
  };
  const enter = async (document: RegistryDocument): Promise<RegistryDocument> => {
    const now = host.clock.now();
    const fresh = (await refreshDocument(document, async (entry) => host.fleet.factsOf(entry), now)) ?? document;
    const origin = await admit(order, fresh, host);
    outcome.value = origin.ok ? await claimWorkerFolder({ workersDir: host.workersDir, type: type.name, now }) : origin;
    if (!origin.ok || !outcome.value.ok) {
      return fresh;
    }
    await signClaim(outcome.value.value, host.randomHex(16));
    const entry = startingEntry(type, outcome.value.value, origin.value);
    return { ...fresh, rows: [...fresh.rows, { kind: 'entry', entry }] };
  };
  const written = await host.registry.update(enter, { create: true });
  if (!written.ok && outcome.value.ok) {
    await releaseWorkerFolder(host.workersDir, outcome.value.value.workerId);
  }
  return written.ok ? outcome.value : written;
}

/** Whether this start may be entered now. What it goes back to is asked for under the lock, where nothing changes it. */
async function admit(order: StartOrder, document: RegistryDocument, host: HostContext): Promise<Outcome<Origin>> {
  const entries = entriesOf(document);
  const { request, retryOf, queueId } = order;
  const overtaken = queueId === null ? null : await queueRefusal(queueId, entries, host);
  if (overtaken !== null) {
    return overtaken;
  }
  if (entries.filter((entry) => isActive(entry.status)).length >= document.maxConcurrent) {
    return refuse('limit', limitText(document.maxConcurrent, request.requestedBy));
  }
  const queued = { ...askedForKeys(request), ...(queueId === null ? {} : { queue_id: queueId }) };
  return retryOf === null
    ? { ok: true, value: { retry_count: 0, extra: queued } }
    : await admitRetry({ ...order, retryOf }, entries, host);
}

/** A leader that died between a start and its settling left the start in the queue; and a person may take one back. */
async function queueRefusal(
  queueId: string,
  entries: readonly RegistryEntry[],
  { queueFile }: HostContext,
): Promise<{ readonly ok: false; readonly error: Refusal } | null> {
  const started = entries.find(({ extra }) => extra['queue_id'] === queueId);
  if (started !== undefined) {
    return refuse('wrong-state', `The queued start ${queueId} was made already: it is ${started.worker_id}.`);
  }
  const waits = (await queueFile.read()).some(({ id }) => id === queueId);
  return waits ? null : refuse('not-found', `The queued start ${queueId} was taken back. Start its type anew.`);
}

async function admitRetry(
  { request, retryOf, byItself }: StartOrder & { readonly retryOf: string },
  entries: readonly RegistryEntry[],
  { fleet }: HostContext,
): Promise<Outcome<Origin>> {
  const source = entries.find((entry) => entry.worker_id === retryOf);
  if (source === undefined) {
    return refuse('not-found', notFoundText(retryOf));
  }
  const refusal = retryRefusal(source, entries);
  if (refusal !== null) {
    return refuse('wrong-state', refusal);
  }
  if (byItself && (await fleet.factsOf(source)).stopFlagAt !== null) {
    return refuse('wrong-state', `Worker ${retryOf} was asked to stop, so it is not started again by itself.`);
  }
  const extra = { ...askedForKeys(request), retry_of: retryOf };
  return { ok: true, value: { retry_count: source.retry_count + 1, extra } };
}

function startingEntry(type: WorkerType, claimed: ClaimedFolder, origin: Origin): RegistryEntry {
  return {
    worker_id: claimed.workerId,
    type: type.name,
    status: 'starting',
    model: type.model,
    started_at: formatTimestamp(claimed.startedAt),
    completed_at: null,
    output_dir: outputDirOf(claimed.workerId),
    ...origin,
  };
}

function refuse(code: Refusal['code'], message: string): { readonly ok: false; readonly error: Refusal } {
  return fail({ code, message });
}
