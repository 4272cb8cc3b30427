import type { ExitRecord } from '../../src/core/protocol/keeper/exitRecord';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import type { Liveness, WorkerProcess } from '../../src/core/protocol/keeper/processIdentity';
import type { KeeperFacts, StatusReading, WorkerFacts } from '../../src/core/protocol/workerFacts';
import type { RegistryEntry, StatusDocument, StatusWord } from '../../src/core/protocol/workers/registryEntry';

/** The start of every worker that these builders make. */
export const STARTED_AT = Date.UTC(2026, 1, 3, 10, 0, 0);
export const WORKER_ID = 'wkr-20260203-100000-health-check';
export const aProcess: WorkerProcess = { pid: 4242, startTime: 'boot:100', pgid: 4242 };

/** An instant so many seconds after the start, as keepers write it. */
export function isoAfter(seconds: number): string {
  return new Date(STARTED_AT + seconds * 1000).toISOString();
}

export function anEntry(parts: Partial<RegistryEntry> = {}): RegistryEntry {
  return {
    worker_id: WORKER_ID,
    type: 'health-check',
    status: 'running',
    model: 'haiku',
    started_at: '2026-02-03T10:00:00Z',
    completed_at: null,
    output_dir: `.keysarium/workers/${WORKER_ID}/output/`,
    retry_count: 0,
    extra: {},
    ...parts,
  };
}

/** A status.json with this word, written ten seconds after the start. */
export function aStatus(status: StatusWord, parts: Partial<StatusDocument> = {}): StatusReading {
  return { kind: 'ok', document: aDocument(status, parts), mtimeMs: STARTED_AT + 10_000 };
}

export function aDocument(status: StatusWord, parts: Partial<StatusDocument> = {}): StatusDocument {
  return {
    worker_id: WORKER_ID,
    type: 'health-check',
    status,
    started_at: '2026-02-03T10:00:00Z',
    completed_at: null,
    progress: null,
    error: null,
    ...parts,
  };
}

export function anExit(parts: Partial<ExitRecord> = {}): ExitRecord {
  return { code: 0, signal: null, at: isoAfter(30), class: 'done', requestedBy: null, forced: false, ...parts };
}

export interface KeeperParts {
  readonly keeper?: Liveness;
  readonly process?: Liveness;
  readonly exit?: ExitRecord | null;
  readonly record?: Partial<KeeperRecord>;
}

/** A keeper whose two processes live, unless told otherwise; with an exit both are gone. */
export function aKeeper({ exit = null, record = {}, ...parts }: KeeperParts = {}): KeeperFacts {
  const rest = exit === null ? 'alive' : 'dead';
  return {
    keeper: rest,
    process: rest,
    ...parts,
    mtimeMs: STARTED_AT + 10_000,
    record: {
      v: 1,
      workerId: WORKER_ID,
      nonce: 'aa'.repeat(16),
      keeper: { pid: 4241, startTime: 'boot:99' },
      process: aProcess,
      command: ['node', 'worker.js'],
      started: isoAfter(0),
      endpoint: '/nowhere/keeper.sock',
      epoch: 1,
      attempts: [{ process: aProcess, startedAt: isoAfter(0), exit }],
      stop: null,
      output: { rawOffset: 0, logBytes: 0, droppedBytes: 0 },
      ...record,
    },
  };
}

/** A worker of ours that runs, unless told otherwise. */
export function someFacts(parts: Partial<WorkerFacts> = {}): WorkerFacts {
  return {
    entry: anEntry(),
    folder: `/project/.keysarium/workers/${WORKER_ID}`,
    logFile: `/project/.keysarium/workers/${WORKER_ID}/worker.log`,
    folderExists: true,
    status: aStatus('running'),
    stopFlagAt: null,
    keeper: aKeeper(),
    keeperProblem: null,
    newestMtimeMs: STARTED_AT + 10_000,
    outputs: [],
    rowProblem: null,
    ...parts,
  };
}
