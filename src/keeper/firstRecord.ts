import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noEngineFacts } from '../core/protocol/engines/engineFacts';
import { goingOn } from '../core/protocol/engines/keptEngine';
import type { FuseRecord } from '../core/protocol/keeper/fuse';
import type { IsolationOrder } from '../core/protocol/keeper/isolationOrder';
import type { IsolationRecord } from '../core/protocol/keeper/isolationRecord';
import { isKeeperClaim } from '../core/protocol/keeper/keeperClaim';
import type { KeeperRecord } from '../core/protocol/keeper/keeperRecord';
import type { KeeperSpec } from '../core/protocol/keeper/keeperSpec';
import { readKeeperRecord } from '../core/protocol/keeper/readKeeperRecord';
import { readBounded } from '../core/system/boundedRead';
import { ownIdentity } from '../core/system/processIdentity';
import { redactArguments } from '../core/system/redact';
import { endpointFor } from '../core/system/runtimeDir';
import { absentPlaces } from '../core/system/leavings';
import { joinNotes } from './joinNotes';

const MAX_RECORD_BYTES = 4 * 1024 * 1024;
const START_OF_OUTPUT = { rawOffset: 0, logBytes: 0, droppedBytes: 0 };

/** So many attempts stay in the record; an agent has one with each start. */
const KEPT_ATTEMPTS = 20;
const NO_LIMITS = { minutes: null, memoryMB: null };

/**
 * The record that a keeper begins with: what an earlier one of this worker left, under the new keeper's name. An
 * unfinished stop goes on only where the same process goes on.
 */
export async function firstRecord(spec: KeeperSpec, secrets: readonly string[], now: string): Promise<KeeperRecord> {
  const previous = await readPrevious(spec);
  // An agent starts again and again in its folder: only its output and its attempts go on.
  const sameRun = spec.mailbox !== undefined && spec.adopt === null ? null : previous;
  return {
    v: 1,
    workerId: spec.workerId,
    nonce: spec.nonce,
    keeper: await ownIdentity(),
    process: spec.adopt,
    command: redactArguments([spec.command.command, ...spec.command.args], secrets),
    started: sameRun?.started ?? now,
    // One endpoint per folder, so that a second keeper of the same worker finds it taken and gives up.
    endpoint: endpointFor(spec.runtimeDir, spec.folder),
    epoch: Math.max(spec.epoch, previous?.epoch ?? 0),
    attempts: attemptsOf(spec, previous, now).slice(-KEPT_ATTEMPTS),
    stop: spec.adopt === null ? null : (previous?.stop ?? null),
    output: previous?.output ?? START_OF_OUTPUT,
    ...isolationOf(spec, sameRun),
    fuses: fusesOf(spec, sameRun),
    ...mailboxOf(spec, sameRun),
    ...engineOf(spec, sameRun),
    graces: { graceMs: spec.graceMs, termGraceMs: spec.termGraceMs },
  };
}

/** Where the agent's process goes on, so does what is known of its connection. */
function mailboxOf({ mailbox: order }: KeeperSpec, previous: KeeperRecord | null): Pick<KeeperRecord, 'mailbox'> {
  if (order === undefined) {
    return {};
  }
  const { agent, privateEndpoint } = order;
  const { connectedAt = null, connectedBy = null } = previous?.mailbox ?? {};
  return { mailbox: { agent, privateEndpoint, compatible: null, connectedAt, connectedBy } };
}

/**
 * Who takes over goes on with what is known of the program's output; its stdin ended with the keeper that held it, so that
 * nobody can answer what it asked. A worker that is started once more keeps what its earlier starts used and did.
 */
function engineOf(spec: KeeperSpec, previous: KeeperRecord | null): Pick<KeeperRecord, 'engine'> {
  const known = previous?.engine;
  if (spec.adopt !== null) {
    return known === undefined ? {} : { engine: { ...known, facts: { ...known.facts, asked: [] }, asks: [] } };
  }
  const { engine: order, command } = spec;
  if (order === undefined) {
    return {};
  }
  const folders = [command.cwd, command.env['TMPDIR'] ?? tmpdir(), tmpdir()];
  const absent = absentPlaces(folders, order.leavings);
  const first = { facts: noEngineFacts, asks: [], answers: [], earlier: [] };
  return { engine: { ...(known === undefined ? first : goingOn(known)), order, absent } };
}

/** A fuse that blew stays blown, whoever keeps the worker. */
function fusesOf({ fuses: limits = NO_LIMITS }: KeeperSpec, previous: KeeperRecord | null): FuseRecord {
  return previous?.fuses ?? { limits, blown: null, peakBytes: null };
}

/** A run stays isolated as it was started, whoever keeps it. */
function isolationOf(spec: KeeperSpec, previous: KeeperRecord | null): Pick<KeeperRecord, 'isolation'> {
  if (spec.adopt === null) {
    const { isolation: order } = spec;
    return order === undefined
      ? {}
      : { isolation: { level: order.level, note: order.note, violations: [], ...containerOf(order) } };
  }
  const isolation = previous?.isolation;
  if (isolation === undefined) {
    return {};
  }
  const isCompared = isolation.level === 'audit' || isolation.level === 'worktree';
  const lost = isCompared ? 'what changed could not be compared, because the keeper died' : null;
  return { isolation: { ...isolation, note: joinNotes(isolation.note, lost) } };
}

function containerOf(order: IsolationOrder): Pick<IsolationRecord, 'container'> {
  return order.level === 'container'
    ? { container: { endpoint: order.container.endpoint, name: order.container.name } }
    : {};
}

/** Behind a mere claim nothing was ever started, and the attempt has no process that could be watched. */
function attemptsOf({ adopt }: KeeperSpec, previous: KeeperRecord | null, now: string): KeeperRecord['attempts'] {
  if (adopt === null || (previous !== null && !isKeeperClaim(previous))) {
    return previous?.attempts ?? [];
  }
  return [{ process: previous === null ? adopt : null, startedAt: previous?.started ?? now, exit: null }];
}

/** What stands in the folder, but for the claim of whoever starts this keeper. */
async function readPrevious({ folder, adopt }: KeeperSpec): Promise<KeeperRecord | null> {
  const file = await readBounded(join(folder, 'keeper.json'), MAX_RECORD_BYTES);
  const record = file.kind === 'ok' ? readKeeperRecord(file.text) : null;
  const last = record?.attempts.at(-1) ?? null;
  if (adopt === null && last?.process === null && last.exit?.class === 'never started') {
    // Who asked for it is gone, and a successor has told everybody that it does not come.
    throw new Error('its start was given up meanwhile');
  }
  return adopt === null && record !== null && isKeeperClaim(record) ? null : record;
}
