import { BY_STOP_FLAG } from '../protocol/keeper/exitRecord';
import { isParkedRecord } from '../protocol/keeper/parkedExit';
import type { KeeperRecord } from '../protocol/keeper/keeperRecord';
import type { KeeperFacts, StatusReading, WorkerFacts } from '../protocol/workerFacts';
import { CLOCK_SLACK_MS, parseTimestamp } from '../protocol/workers/timestamp';
import { transition } from './transition';
import type { WorkerEvent } from './workerEvent';
import { backgroundPolicy } from './workerPolicy';
import { initialState, type TerminalWord, type WorkerState } from './workerState';

/** The state of a worker with a keeper: its events, told again to the same `transition` that the leader uses. */
export function replayKeeper(facts: WorkerFacts, keeper: KeeperFacts): WorkerState {
  let state: WorkerState = initialState(backgroundPolicy.restarts);
  for (const event of eventsOf(facts, keeper)) {
    state = transition(state, event, backgroundPolicy).state;
  }
  return state;
}

/**
 * What happened to the worker's last attempt, as its files and the machine tell it. A worker's word stands before its
 * exit whenever the file was written: the keeper adds a word only where the worker left none.
 */
function eventsOf(facts: WorkerFacts, keeper: KeeperFacts): readonly WorkerEvent[] {
  const { record } = keeper;
  const startedAt = startOf(record);
  const events: WorkerEvent[] = [{ kind: 'startRequested', at: startedAt }];
  if (record.process !== null) {
    events.push({ kind: 'spawned', process: record.process, at: startedAt });
  }
  events.push(...stopEvents(facts, record));
  const word = terminalWordIn(facts.status);
  if (word !== null) {
    events.push({ kind: 'wordHeard', word, at: keeper.mtimeMs });
  }
  return [...events, ...endEvents(keeper), ...stopWhileParked(facts)];
}

/** What is parked has no keeper that could heed the flag: the flag alone is its stop. */
function stopWhileParked({ keeper, stopFlagAt }: WorkerFacts): readonly WorkerEvent[] {
  return stopFlagAt !== null && keeper !== null && isParkedRecord(keeper.record)
    ? [{ kind: 'stopRequested', by: BY_STOP_FLAG, force: false, at: stopFlagAt }]
    : [];
}

/** The terminal word in a status.json, also in the last readable one; null when it says anything else. */
export function terminalWordIn(status: StatusReading): TerminalWord | null {
  const document = status.kind === 'ok' ? status.document : status.kind === 'unreadable' ? status.lastGood : null;
  const word = document?.status;
  return word === 'completed' || word === 'failed' || word === 'stopped' ? word : null;
}

function startOf(record: KeeperRecord): number {
  return parseTimestamp(record.attempts.at(-1)?.startedAt ?? null) ?? parseTimestamp(record.started) ?? 0;
}

/** Every stop that was asked of this run: by the ladder's receipt, else by the flag, else by the registry's word. */
export function stopEvents({ entry, stopFlagAt }: WorkerFacts, record: KeeperRecord): readonly WorkerEvent[] {
  if (record.stop !== null) {
    return ladderEvents(record);
  }
  if (stopFlagAt !== null && concernsThisRun(stopFlagAt, record)) {
    return [{ kind: 'stopRequested', by: BY_STOP_FLAG, force: false, at: stopFlagAt }];
  }
  return entry.status === 'stop-requested'
    ? [{ kind: 'stopRequested', by: 'registry', force: false, at: startOf(record) }]
    : [];
}

/** What the receipt of a running or finished stop ladder tells; nothing without one. */
export function ladderEvents({ stop, started }: KeeperRecord): readonly WorkerEvent[] {
  if (stop === null) {
    return [];
  }
  const asked = parseTimestamp(stop.at) ?? parseTimestamp(started) ?? 0;
  return [
    { kind: 'stopRequested', by: stop.requestedBy, force: false, at: asked },
    ...stop.steps.map(({ step, at }) => ({ kind: 'stopStepTaken', step, at: parseTimestamp(at) ?? asked }) as const),
  ];
}

/** A flag from before the start, or made after the exit, asked nothing of this run (lifecycle §5). */
function concernsThisRun(flagAt: number, record: KeeperRecord): boolean {
  const startedAt = parseTimestamp(record.started) ?? startOf(record);
  const exitedAt = parseTimestamp(record.attempts.at(-1)?.exit?.at ?? null);
  return flagAt >= startedAt - CLOCK_SLACK_MS && (exitedAt === null || flagAt <= exitedAt);
}

function endEvents({ record, keeper, process, mtimeMs }: KeeperFacts): readonly WorkerEvent[] {
  const exit = record.attempts.at(-1)?.exit ?? null;
  if (exit !== null) {
    return [{ kind: 'exited', exit, at: parseTimestamp(exit.at) ?? mtimeMs }];
  }
  if (keeper === 'alive') {
    // Also with a dead process: its keeper reads the output to the end and then records the exit.
    return [];
  }
  switch (process) {
    case 'alive':
      return record.process === null ? [] : [{ kind: 'provenAlive', process: record.process, at: mtimeMs }];
    case 'dead':
      return [{ kind: 'provenDead', exit: null, at: mtimeMs }];
    case 'unknown':
      return [{ kind: 'ownershipLost', at: mtimeMs }];
  }
}
