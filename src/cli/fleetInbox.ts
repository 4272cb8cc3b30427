import { workerItems } from '../core/presenter/workerItems';
import type { InboxItem } from '../core/protocol/actors/sessionSnapshot';
import { type FleetFuse, fleetFuseDetail, fleetFuseId } from '../core/protocol/fleetFuse';
import type { FleetSnapshot } from '../core/protocol/snapshot';

/** One thing that waits for a person, be it of a worker, of a session agent or of the whole project. */
export interface FleetItem {
  readonly id: string;
  readonly kind: string;
  /** The agent, the worker's type, or `project`. */
  readonly from: string;
  /** The worker's id, or null. */
  readonly worker: string | null;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly canAnswer: boolean;
  /** What a question offers. */
  readonly choices: readonly string[];
  /** When it is denied unless somebody answers, ISO 8601 UTC, or null. */
  readonly until: string | null;
  readonly copy: boolean;
  /** The item of the session that it is, or null. */
  readonly ofSession: InboxItem | null;
}

/** Everything that waits for a person, the oldest first. */
export function fleetInbox({
  workers,
  session,
  fuses,
}: Pick<FleetSnapshot, 'workers' | 'session' | 'fuses'>): readonly FleetItem[] {
  const ofWorkers = workerItems(workers).map(({ id, kind, worker, ask, text, since }) => ({
    id,
    kind,
    from: worker.entry.type,
    worker: worker.workerId,
    text,
    since,
    canAnswer: ask !== null,
    choices: ask?.choices ?? [],
    until: ask?.until ?? null,
    copy: false,
    ofSession: null,
  }));
  return [...ofWorkers, ...fuses.map(ofProject), ...(session?.inbox ?? []).map(ofSessionItem)].toSorted(
    (a, b) => a.since - b.since,
  );
}

function ofProject(fuse: FleetFuse): FleetItem {
  return {
    id: fleetFuseId(fuse.name),
    kind: 'fuse',
    from: 'project',
    worker: null,
    text: fleetFuseDetail(fuse),
    since: fuse.since,
    canAnswer: false,
    choices: [],
    until: null,
    copy: false,
    ofSession: null,
  };
}

function ofSessionItem(item: InboxItem): FleetItem {
  const { id, kind, agent: from, text, since, canAnswer, copy } = item;
  return { id, kind, from, worker: null, text, since, canAnswer, choices: [], until: null, copy, ofSession: item };
}
