import type { Liveness, ProcessIdentity, WorkerProcess } from '../protocol/keeper/processIdentity';
import { machineProbe } from './machineProbe';

const LARGEST_PID = 2 ** 31 - 1;

/** Who runs under this pid right now, or null when nobody does or this user may not know (lifecycle §2). */
export async function identityOf(pid: number): Promise<ProcessIdentity | null> {
  const look = isPid(pid) ? await machineProbe.look(pid) : null;
  return look?.kind === 'running' ? { pid, startTime: look.row.startTime } : null;
}

/**
 * Whether exactly this process still runs. A recycled pid, a thread id and a zombie read `dead`; `unknown` when the
 * machine does not tell.
 */
export async function livenessOf(identity: ProcessIdentity): Promise<Liveness> {
  if (!isPid(identity.pid)) {
    return 'dead';
  }
  const look = await machineProbe.look(identity.pid);
  if (look.kind === 'running') {
    return look.row.startTime === identity.startTime ? 'alive' : 'dead';
  }
  return look.kind === 'unclear' ? 'unknown' : 'dead';
}

/**
 * Identity and group of a child of this process, straight after its start. Also known when it has ended already, as
 * long as this process has not heard of that.
 */
export async function workerProcessOf(childPid: number): Promise<WorkerProcess | null> {
  const look = await machineProbe.look(childPid);
  return look.kind === 'running' || look.kind === 'zombie'
    ? { pid: childPid, startTime: look.row.startTime, pgid: look.row.pgid }
    : null;
}

let own: Promise<ProcessIdentity> | undefined;

/** The identity of this very process. Rejects when the machine does not tell, e.g. without `/proc` on Linux. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  own ??= lookAtSelf();
  return await own;
}

/** The environment that a process was started with; empty where the machine does not tell. */
export function environmentOf(pid: number): Readonly<Record<string, string>> {
  return machineProbe.environmentOf(pid);
}

/** Differs after every boot of this machine. */
export async function bootId(): Promise<string> {
  return await machineProbe.bootId();
}

async function lookAtSelf(): Promise<ProcessIdentity> {
  const identity = await identityOf(process.pid);
  if (identity === null) {
    own = undefined;
    throw new Error(
      'This machine does not tell when a process was started; make /proc (Linux) or ps (macOS) available.',
    );
  }
  return identity;
}

function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0 && pid <= LARGEST_PID;
}
