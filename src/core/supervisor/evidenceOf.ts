import type { ExitRecord } from '../protocol/keeper/exitRecord';
import type { KeeperRecord } from '../protocol/keeper/keeperRecord';
import type { Liveness } from '../protocol/keeper/processIdentity';
import type { Evidence, EvidenceSource, WorkerStateKind } from '../protocol/snapshot';
import type { KeeperFacts, StatusReading, WorkerFacts } from '../protocol/workerFacts';
import type { RegistryStatus } from '../protocol/workers/registryEntry';
import { violationText } from '../protocol/violationText';
import { parseTimestamp } from '../protocol/workers/timestamp';

/**
 * Every source that has a word about this worker, strongest first (lifecycle §2). A word that differs from the state
 * says so, so that a disagreement is seen and not averaged away.
 */
export function evidenceOf(facts: WorkerFacts, state: WorkerStateKind, now: number): readonly Evidence[] {
  const { entry, stopFlagAt } = facts;
  return [
    ...(facts.keeper === null ? [] : keeperEvidence(facts.keeper, now)),
    ...(facts.keeperProblem === null ? [] : [say('keeper', facts.keeperProblem, now)]),
    ...statusEvidence(facts.status, state),
    say('registry', wordAgainst(entry.status, state), parseTimestamp(entry.completed_at)),
    ...(stopFlagAt === null ? [] : [say('stop flag', 'a stop was requested', stopFlagAt)]),
    facts.folderExists
      ? say('folder', 'last change', facts.newestMtimeMs)
      : say('folder', 'there is no folder of this worker', now),
  ];
}

/** An exit in few words, e.g. `crash, exit code 3`. */
export function exitText(exit: ExitRecord): string {
  const how = exit.signal !== null ? `, ${exit.signal}` : exit.code !== null ? `, exit code ${exit.code}` : '';
  return `${exit.class}${how}${exit.says === undefined ? '' : `: ${exit.says}`}`;
}

function keeperEvidence({ record, keeper, process }: KeeperFacts, now: number): readonly Evidence[] {
  const exit = record.attempts.at(-1)?.exit ?? null;
  if (exit !== null) {
    return [say('exit record', exitText(exit), parseTimestamp(exit.at)), ...isolationEvidence(record)];
  }
  const ours =
    record.process === null ? 'no process yet' : `process ${record.process.pid} ${livenessText(process, 'is gone')}`;
  return [
    say('keeper', `keeper ${record.keeper.pid} ${livenessText(keeper, 'is gone')}`, now),
    say('process', ours, now),
    ...isolationEvidence(record),
  ];
}

function isolationEvidence({ isolation, started }: KeeperRecord): readonly Evidence[] {
  if (isolation === undefined) {
    return [];
  }
  const { level, note, violations } = isolation;
  const found = violations.length === 0 ? [] : [violationText(violations)];
  return [say('isolation', [level, ...(note === null ? [] : [note]), ...found].join('; '), parseTimestamp(started))];
}

function livenessText(liveness: Liveness, whenDead: string): string {
  switch (liveness) {
    case 'alive':
      return 'lives';
    case 'dead':
      return whenDead;
    case 'unknown':
      return 'cannot be looked at from here';
  }
}

function statusEvidence(status: StatusReading, state: WorkerStateKind): readonly Evidence[] {
  switch (status.kind) {
    case 'absent':
      return [];
    case 'ok': {
      const phase = status.document.progress?.phase ?? null;
      const word = wordAgainst(status.document.status, state);
      return [say('status.json', phase === null ? word : `${word}: ${phase}`, status.mtimeMs)];
    }
    case 'unreadable': {
      const before = status.lastGood === null ? '' : `; last it said ${status.lastGood.status}`;
      return [say('status.json', `${status.reason}${before}`, status.mtimeMs)];
    }
  }
}

function wordAgainst(word: RegistryStatus, state: WorkerStateKind): string {
  return STATES_OF_WORD[word].includes(state) ? word : `${word} (differs from the state ${state})`;
}

const STATES_OF_WORD: Readonly<Record<RegistryStatus, readonly WorkerStateKind[]>> = {
  starting: ['starting'],
  running: ['running', 'parked'],
  completing: ['running'],
  'stop-requested': ['stopping'],
  completed: ['completed'],
  failed: ['failed', 'backoff'],
  stopped: ['stopped'],
  unknown: ['unknown'],
};

function say(source: EvidenceSource, says: string, at: number | null): Evidence {
  return { source, says, at };
}
