/**
 * One OS process, for ever: a pid alone proves nothing because pids are recycled (lifecycle §2). `startTime` is opaque
 * text that differs for every process that ever had this pid: on Linux `<boot id>:<field 22 of /proc/<pid>/stat>`.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

/** A worker's main process, leader of its own process group where the platform has groups. */
export interface WorkerProcess extends ProcessIdentity {
  readonly pgid: number;
}

/** What a look at the machine says about an identity. `unknown`: it could not be told (no permission, other host). */
export type Liveness = 'alive' | 'dead' | 'unknown';
