import { fleetFuseDetail, fleetFuseText } from '../protocol/fleetFuse';
import type { FleetSnapshot } from '../protocol/snapshot';

/** A blown fuse that nobody has reset yet, the same for every kind (lifecycle §9). */
export interface ShownFuse {
  /** What *reset* takes: the worker's id, the agent's name, or the name of a fuse of the whole project. */
  readonly id: string;
  /** Null where it is no worker's. */
  readonly worker: string | null;
  /** Null where it is no session agent's. */
  readonly agent: string | null;
  /** The fuse with its number. */
  readonly text: string;
  /** The same with what was measured. */
  readonly detail: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** Every blown fuse of a root, the oldest first. */
export function blownFuses({
  workers,
  fuses,
  session,
}: Pick<FleetSnapshot, 'workers' | 'fuses' | 'session'>): readonly ShownFuse[] {
  const ofWorkers = workers.flatMap(({ workerId, attention, startedAt, endedAt }): readonly ShownFuse[] => {
    if (attention?.kind !== 'fuse') {
      return [];
    }
    const { text } = attention;
    return [{ id: workerId, worker: workerId, agent: null, text, detail: text, since: endedAt ?? startedAt }];
  });
  const ofProject = fuses.map((fuse): ShownFuse => {
    const [text, detail] = [fleetFuseText(fuse), fleetFuseDetail(fuse)];
    return { id: fuse.name, worker: null, agent: null, text, detail, since: fuse.since };
  });
  const ofAgents = (session?.inbox ?? [])
    .filter(({ kind }) => kind === 'fuse')
    .map(({ agent, text, since }): ShownFuse => ({ id: agent, worker: null, agent, text, detail: text, since }));
  return [...ofWorkers, ...ofAgents, ...ofProject].toSorted((a, b) => a.since - b.since);
}
