import type { KeeperRecord } from '../protocol/keeper/keeperRecord';
import { isKeeperClaim } from '../protocol/keeper/keeperClaim';
import type { KeeperSpec } from '../protocol/keeper/keeperSpec';
import type { WorkerProcess } from '../protocol/keeper/processIdentity';
import { parseTimestamp, formatTimestamp } from '../protocol/workers/timestamp';

/** What a record does not hold and a new keeper needs. */
export type TakeOverSettings = Pick<
  KeeperSpec,
  'type' | 'root' | 'folder' | 'epoch' | 'secrets' | 'graceMs' | 'termGraceMs' | 'limits' | 'runtimeDir'
>;

/** What a new keeper is told of the old one. */
type KnownOfKeeper = Pick<
  KeeperRecord,
  'workerId' | 'nonce' | 'keeper' | 'process' | 'command' | 'started' | 'endpoint' | 'graces'
>;

/** No system gives a process this number. */
const NOBODY = { pid: 0x7f_ff_ff_ff, startTime: 'never' };

/**
 * What stands for a record that cannot be read: it names nobody, so that a new keeper only ends what carries the
 * worker's marker. `nonce` is a new one.
 */
export function lostRecord(workerId: string, started: string, nonce: string): KnownOfKeeper {
  return { workerId, nonce, keeper: NOBODY, process: null, command: ['unknown'], started, endpoint: '' };
}

/**
 * The spec of a keeper that takes over what a dead one left (lifecycle §7): its living process, or the children of a
 * dead one. The nonce stays, so that whoever knows the old record still reaches the worker, and so do the graces of its
 * type.
 */
export function takeOverSpec(record: KnownOfKeeper, settings: TakeOverSettings): KeeperSpec {
  const [command = '', ...args] = record.command;
  return {
    v: 1,
    ...settings,
    ...record.graces,
    workerId: record.workerId,
    nonce: record.nonce,
    startedAt: formatTimestamp(parseTimestamp(record.started) ?? 0),
    command: { command, args, env: {}, cwd: settings.root, stdin: null },
    adopt: record.process ?? spawningProcess(record),
  };
}

/**
 * A keeper that died in the middle of the spawn names none; what it spawned is found by the marker. A mere claim names
 * whoever started it, whose group is none of ours.
 */
function spawningProcess(record: KnownOfKeeper): WorkerProcess {
  const { pid, startTime } = isKeeperClaim(record) ? NOBODY : record.keeper;
  return { pid, startTime, pgid: pid };
}
