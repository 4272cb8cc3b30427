import { type FleetFuse, fleetFuseText } from '../fleetFuse';
import { blownIn, fuseText } from '../keeper/fuse';
import type { KeeperRecord } from '../keeper/keeperRecord';
import type { FleetSnapshot, WorkerSnapshot } from '../snapshot';
import type { WorkerFacts } from '../workerFacts';
import { isFuseReset } from '../workers/fuseReset';
import type { RegistryEntry } from '../workers/registryEntry';
import { snoozesIn } from '../workers/snoozes';
import type { FleetEvent } from './fleetEvent';
import { requestKey, snoozeKey, type FleetMoment, type WorkerMoment } from './fleetMoment';

/** A look: what is shown, and the facts behind it. */
export interface SeenFleet {
  readonly snapshot: Pick<FleetSnapshot, 'workers' | 'queue' | 'fuses'>;
  readonly facts: ReadonlyMap<string, WorkerFacts>;
}

/**
 * What a look shows and the log does not know yet: workers that others started, ends that nobody saw who led, starts that
 * were queued by others. A worker of ours that is still going is left to its supervisor, which knows better than an
 * older look (lifecycle §7).
 */
export function foundEvents({ snapshot, facts }: SeenFleet, moment: FleetMoment): readonly FleetEvent[] {
  const ofWorkers = snapshot.workers.flatMap((worker) => {
    const known = moment.workers.get(worker.workerId);
    const fact = facts.get(worker.workerId);
    return fact === undefined || fact.rowProblem !== null ? [] : foundOf(worker, fact, known);
  });
  return [...ofWorkers, ...foundInQueue(snapshot.queue, moment.queue), ...foundFuses(snapshot.fuses, moment.fuses)];
}

function foundOf(worker: WorkerSnapshot, facts: WorkerFacts, known: WorkerMoment | undefined): readonly FleetEvent[] {
  return [...begin(worker, known), ...side(worker, facts, known), ...snoozes(worker, known), ...end(worker, known)];
}

function begin({ workerId, entry, startedAt }: WorkerSnapshot, known: WorkerMoment | undefined): readonly FleetEvent[] {
  if (known !== undefined) {
    return [];
  }
  const at = new Date(startedAt).toISOString();
  const data = { worker: workerId, workerType: entry.type, startedAt: at, by: null, found: true };
  const retryOf = entry.extra['retry_of'];
  return [
    { type: 'WorkerStarted', data },
    ...(typeof retryOf === 'string' ? [{ type: 'WorkerRetried', data: { worker: workerId, retryOf } } as const] : []),
  ];
}

/** What only the keeper's record tells. */
function side(
  { workerId: worker, entry }: WorkerSnapshot,
  { keeper }: WorkerFacts,
  known: WorkerMoment | undefined,
): readonly FleetEvent[] {
  return keeper === null
    ? []
    : [
        ...fuseIn(keeper.record, entry, known),
        ...violationsIn(keeper.record, worker, known),
        ...requestsIn(keeper.record, worker, known),
      ];
}

/** Whoever resets a fuse needs no lease, and only notes it in the registry. */
function fuseIn({ fuses }: KeeperRecord, entry: RegistryEntry, known: WorkerMoment | undefined): readonly FleetEvent[] {
  const blown = blownIn(fuses);
  if (blown === null) {
    return [];
  }
  const data = { worker: entry.worker_id, fuse: fuseText(blown) };
  const isBlownNews = data.fuse !== known?.fuse;
  const isResetNews = isFuseReset(entry, blown) && (isBlownNews || known.fuseReset !== true);
  return [
    ...(isBlownNews ? [{ type: 'FuseBlown', data } as const] : []),
    ...(isResetNews ? [{ type: 'FuseReset', data } as const] : []),
  ];
}

function foundFuses(fuses: readonly FleetFuse[], known: readonly string[]): readonly FleetEvent[] {
  const blown = fuses.map(fleetFuseText);
  const [added, gone] = [blown.filter((fuse) => !known.includes(fuse)), known.filter((fuse) => !blown.includes(fuse))];
  return [
    ...added.map((fuse): FleetEvent => ({ type: 'FuseBlown', data: { worker: null, fuse } })),
    ...gone.map((fuse): FleetEvent => ({ type: 'FuseReset', data: { worker: null, fuse } })),
  ];
}

function violationsIn(
  { isolation }: KeeperRecord,
  worker: string,
  known: WorkerMoment | undefined,
): readonly FleetEvent[] {
  const count = isolation?.violations.length ?? 0;
  return count > (known?.violations ?? 0) ? [{ type: 'ViolationSeen', data: { worker, count } }] : [];
}

/** What its program asked a person, and the answers: who gave them is in the keeper's record alone. */
function requestsIn({ engine }: KeeperRecord, worker: string, known: WorkerMoment | undefined): readonly FleetEvent[] {
  if (engine === undefined) {
    return [];
  }
  const isNew = (key: string): boolean => known?.requests?.includes(key) !== true;
  const asks = engine.asks.filter(({ requestId }) => isNew(requestKey('asked', requestId)));
  const answers = engine.answers.filter(({ requestId }) => isNew(requestKey('answered', requestId)));
  return [
    ...asks.map(({ requestId, tool, text }): FleetEvent => {
      return { type: 'RequestAsked', data: { worker, requestId, tool, text } };
    }),
    ...answers.map(({ requestId, tool, allow: allowed, by, at }): FleetEvent => {
      return { type: 'RequestAnswered', data: { worker, requestId, tool, allowed, by, at } };
    }),
  ];
}

/** Only the registry tells what was put off, and by whom. */
function snoozes({ workerId: worker, entry }: WorkerSnapshot, known: WorkerMoment | undefined): readonly FleetEvent[] {
  return snoozesIn(entry)
    .filter(({ item, until }) => known?.requests?.includes(snoozeKey(item, until)) !== true)
    .map(({ item, until, by }) => ({ type: 'ItemSnoozed', data: { worker, item, until, by } }) as const);
}

function end(worker: WorkerSnapshot, known: WorkerMoment | undefined): readonly FleetEvent[] {
  return [...exited(worker, known), ...stateNow(worker, known)];
}

function exited({ workerId, exit }: WorkerSnapshot, known: WorkerMoment | undefined): readonly FleetEvent[] {
  return exit !== null && exit.at !== known?.exit?.at
    ? [{ type: 'WorkerExited', data: { worker: workerId, exit } }]
    : [];
}

function stateNow(worker: WorkerSnapshot, known: WorkerMoment | undefined): readonly FleetEvent[] {
  const { workerId, state, endedAt, owned } = worker;
  // A retry that is due is another worker's start: this one has failed.
  const to = state === 'backoff' ? 'failed' : state;
  const from = known?.state ?? null;
  const isOursAndGoing = known !== undefined && owned && endedAt === null && !isParkedUnseen(worker, known);
  return isOursAndGoing || to === from
    ? []
    : [{ type: 'WorkerStateChanged', data: { worker: workerId, from, to, event: 'found' } }];
}

/** A parked one does not go on by itself: its exit stands in the files, and the log knows of it or not. */
function isParkedUnseen({ state, exit }: WorkerSnapshot, known: WorkerMoment): boolean {
  return state === 'parked' && exit?.at !== known.exit?.at;
}

function foundInQueue(queue: FleetSnapshot['queue'], known: FleetMoment['queue']): readonly FleetEvent[] {
  const ids = new Set(queue.map(({ id }) => id));
  const added = queue.filter(({ id }) => !known.has(id));
  const gone = [...known.keys()].filter((id) => !ids.has(id));
  return [
    ...added.map(({ id, type }) => ({ type: 'StartQueued', data: { id, workerType: type } }) as const),
    ...gone.map((id) => ({ type: 'StartDequeued', data: { id } }) as const),
  ];
}
