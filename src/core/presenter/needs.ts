import type { AgentSnapshot, InboxItem, SessionSnapshot } from '../protocol/actors/sessionSnapshot';
import type { FleetFuse } from '../protocol/fleetFuse';
import type { FleetSnapshot } from '../protocol/snapshot';
import { type RunNeed, runNeedsOf } from './features/runNeeds';
import type { ShownRoot } from './shownRoot';
import { type WorkerItem, workerItems } from './workerItems';

/** What of a worker, the project's fuses, the session's inbox or a feature run waits for a person. */
export type Need = WorkerItem | { readonly fuse: FleetFuse } | { readonly run: RunNeed } | NeedOfAgent;

/** An item of the inbox, with the agent that it is about where there is one. */
export interface NeedOfAgent {
  readonly item: InboxItem;
  readonly agent: AgentSnapshot | null;
}

/** What of a session's inbox waits for a person, or what a coordinator has got as well; the oldest first. */
export function inboxOf(session: SessionSnapshot | null, kind: 'own' | 'copy'): readonly NeedOfAgent[] {
  return (session?.inbox ?? [])
    .filter(({ copy }) => copy === (kind === 'copy'))
    .map((item) => ({ item, agent: session?.agents.find(({ name }) => name === item.agent) ?? null }));
}

function sinceOf(need: Need): number {
  if ('run' in need) {
    return need.run.at ?? 0;
  }
  if ('fuse' in need) {
    return need.fuse.since;
  }
  return 'item' in need ? need.item.since : need.since;
}

/** Until when a person has put it off, epoch milliseconds; null where it waits now. */
export function snoozedUntil(need: Need): number | null {
  if ('run' in need || 'fuse' in need) {
    return null;
  }
  return 'item' in need ? need.item.snoozedUntil : need.snoozedUntil;
}

function allNeeds(shown: ShownRoot): readonly Need[] {
  const { workers, session, fuses } = shown;
  const ofFuses = fuses.map((fuse): Need => ({ fuse }));
  const ofRuns = runNeedsOf(shown).map((run): Need => ({ run }));
  return [...workerItems(workers), ...ofFuses, ...inboxOf(session, 'own'), ...ofRuns];
}

/**
 * What only a person can settle now, the oldest first; what a coordinator has too is not among it, nor what was put off.
 * Every surface counts this and nothing else.
 */
export function needsOf(shown: ShownRoot): readonly Need[] {
  const open = allNeeds(shown).filter((need) => snoozedUntil(need) === null);
  return open.toSorted((a, b) => sinceOf(a) - sinceOf(b));
}

/** What a person has put off; what comes back first stands first. */
export function snoozedOf(shown: ShownRoot): readonly Need[] {
  const snoozed = allNeeds(shown).filter((need) => snoozedUntil(need) !== null);
  return snoozed.toSorted((a, b) => (snoozedUntil(a) ?? 0) - (snoozedUntil(b) ?? 0));
}

/** Troubles of a root that belong to no single worker or agent. */
function troublesOf({ problems, session }: FleetSnapshot): number {
  return problems.length + (session?.problems.length ?? 0);
}

/** How many things need a person; also the badge of the view. */
export function needsCount(snapshots: readonly ShownRoot[]): number {
  return snapshots.reduce((sum, one) => sum + troublesOf(one) + needsOf(one).length, 0);
}
