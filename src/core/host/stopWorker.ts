import { fail, ok } from '../base/result';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { matchWorker } from '../protocol/workers/matchWorker';
import { entriesOf, type RegistryDocument } from '../protocol/workers/registryDocument';
import type { WorkerFacts } from '../protocol/workerFacts';
import type { RegistryEntry, RegistryStatus } from '../protocol/workers/registryEntry';
import {
  alreadyAskedText,
  ambiguousText,
  forcedStopText,
  noRetryText,
  notFoundText,
  notRunningText,
  parkedStopText,
  stopText,
} from '../protocol/workers/workerTexts';
import { withStopAsker } from '../protocol/workers/stopAsker';
import { formatTimestamp } from '../protocol/workers/timestamp';
import { workerPaths } from '../registry/paths';
import { raiseStopFlag } from '../registry/stopFlag';
import type { Supervisor } from '../supervisor/supervisor';
import type { Outcome, Refusal, StopAccepted, StopRequest } from './api';
import type { HostContext } from './hostContext';
import { isStopLeft } from './leftBehind';
import { refreshDocument } from './refreshDocument';

export interface StopContext {
  readonly host: HostContext;
  readonly supervisor: Supervisor;
  readonly epoch: number;
}

/** A plain stop takes a running worker; a forced one also what is on its way in or out (workers.md §4.5). */
const FORCEABLE: ReadonlySet<RegistryStatus> = new Set(['starting', 'running', 'stop-requested']);

/** A stop that was admitted. */
interface AdmittedStop {
  /** As it must stand in the registry. */
  readonly entry: RegistryEntry;
  /** Whether there is a process to end; without one the flag alone is the latch. */
  readonly runs: boolean;
  /** What the person is told where there is none. */
  readonly message?: string;
}

/**
 * The stop protocol: flag, registry word, then the keeper's ladder for a worker of ours. The flag is made exclusively
 * and stays for ever. Runs only in the process that leads, with its epoch.
 */
export async function stopWorker(request: StopRequest, context: StopContext): Promise<Outcome<StopAccepted>> {
  const { host, supervisor, epoch } = context;
  const marked = await markStopRequested(request, host);
  if (!marked.ok) {
    return marked;
  }
  const { entry, runs, message } = marked.value;
  const { worker_id: workerId, status } = entry;
  const { requestedBy, force } = request;
  host.journal.note({ type: 'WorkerStopRequested', data: { worker: workerId, by: requestedBy, force } });
  if (!runs) {
    return ok({ workerId, status, message: message ?? noRetryText(workerId) });
  }
  await supervisor.stop({ facts: await host.fleet.factsOf(entry), epoch, requestedBy, force });
  return ok({ workerId, status, message: (force ? forcedStopText : stopText)(workerId, requestedBy) });
}

/** Under the registry lock: refresh what may be meant, pick the worker, raise its flag, enter `stop-requested`. */
async function markStopRequested(request: StopRequest, host: HostContext): Promise<Outcome<AdmittedStop>> {
  const outcome: { value: Outcome<AdmittedStop> } = {
    value: fail({ code: 'not-found', message: notFoundText(request.worker) }),
  };
  const written = await host.registry.update(
    async (document) => {
      const now = host.clock.now();
      const factsOf = async (entry: RegistryEntry): Promise<WorkerFacts> => host.fleet.factsOf(entry);
      const isMeant = ({ worker_id }: RegistryEntry): boolean => worker_id.startsWith(request.worker.trim());
      const fresh = (await refreshDocument(document, factsOf, now, isMeant)) ?? document;
      outcome.value = await requestStop(request, fresh, host);
      return outcome.value.ok ? withEntry(fresh, outcome.value.value.entry) : fresh;
    },
    { create: false },
  );
  return written.ok ? outcome.value : written;
}

/**
 * Picks the worker, checks its state and raises its flag. One that failed and waits for its retry stays failed: the flag
 * is the latch that keeps it from coming again (lifecycle §5). Force also ends a process that goes on behind its last
 * word; that word stays.
 */
async function requestStop(
  request: StopRequest,
  document: RegistryDocument,
  host: HostContext,
): Promise<Outcome<AdmittedStop>> {
  const found = findEntry(request.worker, document);
  if (!found.ok) {
    return found;
  }
  const entry = found.value;
  const isLeft = isStopLeft(await host.fleet.factsOf(entry));
  const kind = stopKind({ force: request.force || isLeft }, await host.fleet.shown(entry, entriesOf(document)));
  const paths = workerPaths(host.workersDir, entry.worker_id);
  if (kind === null || paths === null) {
    return fail({ code: 'wrong-state', message: refusalText(entry) });
  }
  const flag = await raiseStopFlag(paths.stopFlag);
  if (!flag.ok) {
    return flag;
  }
  if (kind === 'parked') {
    const completed_at = formatTimestamp(host.clock.now());
    return ok({
      entry: { ...withStopAsker(entry, request.requestedBy), status: 'stopped', completed_at },
      runs: false,
      message: parkedStopText(entry.worker_id),
    });
  }
  if (kind !== 'running') {
    return ok({ entry, runs: kind === 'outlives its word' });
  }
  return flag.value === 'already' && !request.force && !isLeft
    ? fail({ code: 'wrong-state', message: alreadyAskedText(entry.worker_id) })
    : ok({ entry: { ...withStopAsker(entry, request.requestedBy), status: 'stop-requested' }, runs: true });
}

function refusalText({ worker_id: id, status }: RegistryEntry): string {
  return status === 'stop-requested' ? alreadyAskedText(id) : notRunningText(id, status);
}

/** What a stop would end; null where there is nothing for it. */
function stopKind(
  { force }: Pick<StopRequest, 'force'>,
  { state, pid, entry }: WorkerSnapshot,
): 'running' | 'parked' | 'waits for its retry' | 'outlives its word' | null {
  if (state === 'parked') {
    return 'parked';
  }
  if (state === 'backoff') {
    return 'waits for its retry';
  }
  if (force ? FORCEABLE.has(entry.status) : entry.status === 'running') {
    return 'running';
  }
  return force && pid !== null ? 'outlives its word' : null;
}

/** The entry that an exact id or a unique prefix names. */
function findEntry(worker: string, document: RegistryDocument): Outcome<RegistryEntry> {
  const entries = entriesOf(document);
  const match = matchWorker(
    worker,
    entries.map((entry) => entry.worker_id),
  );
  if (match.kind === 'ambiguous') {
    return fail<Refusal>({ code: 'ambiguous', message: ambiguousText(worker, match.workerIds) });
  }
  const entry =
    match.kind === 'found' ? entries.find((candidate) => candidate.worker_id === match.workerId) : undefined;
  return entry === undefined ? fail<Refusal>({ code: 'not-found', message: notFoundText(worker) }) : ok(entry);
}

function withEntry(document: RegistryDocument, entry: RegistryEntry): RegistryDocument {
  const rows = document.rows.map((row) =>
    row.kind === 'entry' && row.entry.worker_id === entry.worker_id ? ({ kind: 'entry', entry } as const) : row,
  );
  return { ...document, rows };
}
