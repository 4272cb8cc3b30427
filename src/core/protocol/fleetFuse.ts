/** A fuse of a whole project (lifecycle §9): of all logs together, or of the disk that holds them. */
export const fleetFuseNames = ['logs', 'disk'] as const;
export type FleetFuseName = (typeof fleetFuseNames)[number];

/** How much the logs of one worker or session agent have, bytes. */
export interface LogShare {
  /** A worker's id or an agent's name. */
  readonly of: string;
  readonly bytes: number;
}

/** A fuse of the project that is blown: nothing is started until it is reset, and nothing that runs is ended. */
export interface FleetFuse {
  readonly name: FleetFuseName;
  /** Of `logs` the most that there may be, of `disk` the least; megabytes. */
  readonly limitMB: number;
  /** What there was when it was last measured, megabytes. */
  readonly measuredMB: number;
  /** When it was first seen blown, epoch milliseconds. */
  readonly since: number;
  /** Whose logs are the biggest, the biggest first; empty for `disk`. */
  readonly biggest: readonly LogShare[];
}

/** Its id in the inbox; a worker's id is never like that. */
export function fleetFuseId(name: FleetFuseName): string {
  return `fuse:${name}`;
}

/** The fuse that a person names by its name or its id in the inbox, or null. */
export function fleetFuseNamed(name: string): FleetFuseName | null {
  return fleetFuseNames.find((fuse) => fuse === name || fleetFuseId(fuse) === name) ?? null;
}

export const MEGABYTE = 1024 * 1024;

/** All logs together, where the configuration names no bound: some ten workers with the most that one may have. */
export const TOTAL_LOGS_MB = 2048;

/** So many of the biggest are named. */
const NAMED = 3;

/** A fuse with its number in few words, as `fuseText` gives them of a worker's: `total logs: 2048 MB`. */
export function fleetFuseText({ name, limitMB }: Pick<FleetFuse, 'name' | 'limitMB'>): string {
  return `${name === 'logs' ? 'total logs' : 'free disk'}: ${String(limitMB)} MB`;
}

/** The same with what was measured and who has the most. */
export function fleetFuseDetail(fuse: FleetFuse): string {
  const biggest = fuse.biggest.slice(0, NAMED).map(({ of, bytes }) => `${of} ${String(inMegabytes(bytes))} MB`);
  const most = biggest.length === 0 ? '' : `, most of it ${biggest.join(', ')}`;
  return `${fleetFuseText(fuse)} (${String(fuse.measuredMB)} MB ${fuse.name === 'logs' ? 'now' : 'are free'}${most})`;
}

/** Why nothing is started; ends in what the person can do. `folder` is the workers folder, absolute. */
export function fleetFuseRefusal(fuse: FleetFuse, folder: string): string {
  return fuse.name === 'logs'
    ? `Nothing is started: fuse blown, ${fleetFuseDetail(fuse)}. What runs goes on. Move old worker folders away with rollcall gc --apply, raise limits.totalLogsMB in .vscode/workers.json, or go on with rollcall fuse reset logs.`
    : `Nothing is started: ${String(Math.floor(fuse.measuredMB))} MB are free on the disk that holds ${folder}, and ${String(fuse.limitMB)} MB must be. Free some space and try again.`;
}

/** Bytes in megabytes, to a tenth. */
export function inMegabytes(bytes: number): number {
  return Math.round((bytes / MEGABYTE) * 10) / 10;
}
