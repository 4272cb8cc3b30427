import { engineSnapshot } from '../protocol/engines/engineSnapshot';
import type { ExitRecord } from '../protocol/keeper/exitRecord';
import { blownIn, fuseText } from '../protocol/keeper/fuse';
import type { Attention, WorkerHealth, WorkerSnapshot } from '../protocol/snapshot';
import { violationText } from '../protocol/violationText';
import type { KeeperFacts, StatusReading, WorkerFacts } from '../protocol/workerFacts';
import { isFuseReset } from '../protocol/workers/fuseReset';
import type { RegistryEntry, StatusDocument } from '../protocol/workers/registryEntry';
import { refreshEntry, type RefreshedEntry } from '../protocol/workers/refreshEntry';
import { snoozedItems } from '../protocol/workers/snoozes';
import { parseTimestamp } from '../protocol/workers/timestamp';
import { isTerminal } from '../protocol/workers/statusWord';
import { isWorkerId } from '../protocol/workers/workerId';
import { evidenceOf, exitText } from './evidenceOf';
import { foreignState } from './foreignState';
import { replayKeeper } from './replayFacts';
import { isEnd, type WorkerState } from './workerState';

/** Without any sign for this long, what should be starting is shown as silent (lifecycle §4). */
const SILENT_AFTER_MS = 2 * 60_000;

/** Without any output for this long, an engine that works is shown as silent (engines.md). */
const MUTE_AFTER_MS = 5 * 60_000;

/**
 * One worker as every surface sees it, from facts alone (lifecycle §2, §3): the state follows the process where a keeper
 * stands behind it, and the protocol's words where none does. `failed` is never guessed, a recycled pid is no life, and
 * what cannot be told is `unknown`. `now` is epoch milliseconds.
 */
export function deriveWorker(facts: WorkerFacts, now: number): WorkerSnapshot {
  const { entry, keeper } = facts;
  const refreshed = refreshEntry({ ...facts, now });
  const state = stateOf(facts, refreshed);
  const document = documentOf(facts);
  const lastSeenAt = newest(parseTimestamp(entry.started_at), facts.newestMtimeMs);
  const problem = problemOf(facts);
  const kept = keptOf(keeper);
  return {
    workerId: entry.worker_id,
    entry,
    state: state.kind,
    health: healthOf({ facts, state, stale: refreshed.stale, silentMs: now - (lastSeenAt ?? now) }),
    attention: attentionOf({ entry, state, document, kept, problem }),
    progress: document?.progress ?? null,
    error: document?.error ?? null,
    startedAt: startOf(facts),
    endedAt: endOf(state, kept.exit, refreshed),
    nextStartAt: state.kind === 'parked' ? state.until : null,
    canRetry: false,
    lastSeenAt,
    ...kept,
    problem,
    snoozed: snoozedItems(entry, now),
    outputs: facts.outputs,
    folder: facts.folder,
    logFile: facts.logFile,
    evidence: evidenceOf(facts, state.kind, now),
  };
}

function stateOf(facts: WorkerFacts, { entry }: RefreshedEntry): WorkerState {
  const { keeper, keeperProblem } = facts;
  if (keeper !== null) {
    return replayKeeper(facts, keeper);
  }
  // A worker of ours is believed to live by its keeper's record alone, not by a word that may be as old as the damage.
  return foreignState(keeperProblem !== null && !isTerminal(entry.status) ? 'unknown' : entry.status);
}

/** What only a keeper knows. */
function keptOf(
  keeper: KeeperFacts | null,
): Pick<WorkerSnapshot, 'pid' | 'owned' | 'exit' | 'stop' | 'isolation' | 'fuses' | 'engine'> {
  if (keeper === null) {
    return { pid: null, owned: false, exit: null, stop: null, isolation: null, fuses: null, engine: null };
  }
  const { record, process } = keeper;
  const isOpen = (record.attempts.at(-1)?.exit ?? null) === null;
  return {
    pid: process === 'alive' ? (record.process?.pid ?? null) : null,
    owned: true,
    exit: record.attempts.at(-1)?.exit ?? null,
    stop: record.stop,
    isolation: record.isolation ?? null,
    fuses: record.fuses ?? null,
    engine: record.engine === undefined ? null : engineSnapshot(record.engine, isOpen),
  };
}

function documentOf({ status }: WorkerFacts): StatusDocument | null {
  switch (status.kind) {
    case 'ok':
      return status.document;
    case 'absent':
      return null;
    case 'unreadable':
      return status.lastGood;
  }
}

function problemOf({ entry, rowProblem, status, keeperProblem }: WorkerFacts): string | null {
  return rowProblem ?? (status.kind === 'unreadable' ? status.reason : (mistakenName(status, entry) ?? keeperProblem));
}

/** Somebody copied the file of another worker, or writes into a wrong folder: then its words may be about that one. */
function mistakenName(status: StatusReading, { worker_id: own }: RegistryEntry): string | null {
  const named = status.kind === 'ok' ? (status.document.worker_id?.trim() ?? '') : '';
  return isWorkerId(named) && named !== own ? `status.json names another worker, ${named}` : null;
}

function startOf({ entry, keeper, newestMtimeMs }: WorkerFacts): number {
  return parseTimestamp(entry.started_at) ?? parseTimestamp(keeper?.record.started ?? null) ?? newestMtimeMs ?? 0;
}

function endOf(state: WorkerState, exit: ExitRecord | null, refreshed: RefreshedEntry): number | null {
  return isEnd(state) ? (parseTimestamp(exit?.at ?? null) ?? parseTimestamp(refreshed.entry.completed_at)) : null;
}

function newest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

interface HealthFacts {
  readonly facts: WorkerFacts;
  readonly state: WorkerState;
  readonly stale: boolean;
  readonly silentMs: number;
}

function healthOf({ facts, state, stale, silentMs }: HealthFacts): WorkerHealth {
  const dropped = facts.keeper?.record.output.droppedBytes ?? 0;
  switch (state.kind) {
    case 'running':
      return stale ? 'stale' : isMute(facts, silentMs) ? 'silent' : dropped > 0 ? 'flooding' : 'ok';
    case 'stopping':
      return stale ? 'stale' : dropped > 0 ? 'flooding' : 'ok';
    case 'starting':
    case 'unknown':
      return silentMs > SILENT_AFTER_MS ? 'silent' : 'ok';
    default:
      return 'ok';
  }
}

/** A model may think for long: it is shown, and nobody is killed for it. Who waits for a person is no surprise. */
function isMute({ keeper }: WorkerFacts, silentMs: number): boolean {
  const engine = keeper?.record.engine;
  return engine !== undefined && engine.asks.length === 0 && silentMs > MUTE_AFTER_MS;
}

interface Concerns {
  readonly entry: RegistryEntry;
  readonly state: WorkerState;
  readonly document: StatusDocument | null;
  readonly kept: Pick<WorkerSnapshot, 'isolation' | 'fuses' | 'engine'>;
  readonly problem: string | null;
}

function attentionOf({ entry, state, document, kept, problem }: Concerns): Attention | null {
  if (state.kind === 'failed') {
    const cause = state.exit === null ? (state.text ?? 'The worker says that it failed') : exitText(state.exit);
    return { kind: 'failed', text: document?.error ?? cause };
  }
  if (problem !== null) {
    return { kind: 'unreadable', text: problem };
  }
  const [ask] = kept.engine?.asks ?? [];
  if (ask !== undefined) {
    return { kind: ask.isQuestion ? 'question' : 'permission', text: ask.text };
  }
  return concernOf(kept, entry);
}

/** What its keeper found that a person should know. */
function concernOf({ fuses, isolation }: Concerns['kept'], entry: RegistryEntry): Attention | null {
  const blown = blownIn(fuses);
  if (blown !== null && !isFuseReset(entry, blown)) {
    return { kind: 'fuse', text: fuseText(blown) };
  }
  const found = violationText(isolation?.violations ?? []);
  return found === '' ? null : { kind: 'violation', text: found };
}
