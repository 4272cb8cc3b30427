import { delay, type Clock } from '../core/base/clock';
import type { WorkerProcess } from '../core/protocol/keeper/processIdentity';
import { livenessOf } from '../core/system/processIdentity';
import type { ProcessEnd, WatchedProcess } from './startProcess';

const LOOK_MS = 250;

/**
 * Watches the living process of a keeper that died. Its exit code goes to its parent, and that is no longer us: how it
 * ended stays unknown (lifecycle §7).
 */
export function adoptProcess(process: WorkerProcess, clock: Clock): WatchedProcess {
  return { process, ended: untilDead(process, clock) };
}

async function untilDead(process: WorkerProcess, clock: Clock): Promise<ProcessEnd> {
  while ((await livenessOf(process)) !== 'dead') {
    await delay(clock, LOOK_MS);
  }
  return { code: null, signal: null };
}
