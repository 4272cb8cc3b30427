import { inboxOf, type Need, needsOf, snoozedOf } from '../core/presenter/needs';
import type { WorkerItem } from '../core/presenter/workerItems';
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
  /** Until when a person has put it off, epoch milliseconds, or null. */
  readonly snoozedUntil: number | null;
  /** The item of the session that it is, or null. */
  readonly ofSession: InboxItem | null;
}

/** Everything that waits for a person: what counts and what a coordinator has too, the oldest first. */
export function openInbox(snapshot: FleetSnapshot): readonly FleetItem[] {
  const copies = inboxOf(snapshot.session, 'copy');
  return [...needsOf(snapshot), ...copies].flatMap(itemOf).toSorted((a, b) => a.since - b.since);
}

/** What a person has put off; what comes back first stands first. */
export function snoozedInbox(snapshot: FleetSnapshot): readonly FleetItem[] {
  return snoozedOf(snapshot).flatMap(itemOf);
}

/** A feature run's need has no place here: `status --feature` tells it. */
function itemOf(need: Need): readonly FleetItem[] {
  if ('run' in need) {
    return [];
  }
  if ('fuse' in need) {
    return [ofProject(need.fuse)];
  }
  return ['item' in need ? ofSessionItem(need.item) : ofWorkerItem(need)];
}

function ofWorkerItem({ id, kind, worker, ask, text, since, snoozedUntil }: WorkerItem): FleetItem {
  return {
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
    snoozedUntil,
    ofSession: null,
  };
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
    snoozedUntil: null,
    ofSession: null,
  };
}

function ofSessionItem(item: InboxItem): FleetItem {
  const { id, kind, agent: from, text, since, canAnswer, copy, snoozedUntil } = item;
  const none = { worker: null, choices: [], until: null };
  return { id, kind, from, text, since, canAnswer, copy, snoozedUntil, ...none, ofSession: item };
}
