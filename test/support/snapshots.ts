import type { FleetSnapshot, WorkerSnapshot } from '../../src/core/protocol/snapshot';
import type { RegistryStatus } from '../../src/core/protocol/workers/registryEntry';
import { plainEnglish, type Reader } from '../../src/core/presenter/words';

/** 2026-03-01 14:30:22 UTC, the document's example. */
export const START = Date.UTC(2026, 2, 1, 14, 30, 22);

/** A reader in UTC who speaks English, `seconds` after `START`. */
export function readerAfter(seconds: number): Reader {
  return {
    now: START + seconds * 1_000,
    timeOfDay: (at) => new Date(at).toISOString().slice(11, 19),
    dayAndTime: (at) => new Date(at).toISOString().slice(0, 16).replace('T', ' '),
    t: plainEnglish,
  };
}

type Changes = Partial<WorkerSnapshot> & { readonly type?: string; readonly status?: RegistryStatus };

const PROTOCOL_WORDS: Readonly<Partial<Record<WorkerSnapshot['state'], RegistryStatus>>> = {
  starting: 'starting',
  stopping: 'stop-requested',
  completed: 'completed',
  failed: 'failed',
  stopped: 'stopped',
  unknown: 'unknown',
};

/** A worker of ours that runs since `START`, with the given differences. */
export function workerSnapshot({ type = 'health-check', status, ...changes }: Changes = {}): WorkerSnapshot {
  const workerId = changes.workerId ?? `wkr-20260301-143022-${type}`;
  const folder = `/project/.keysarium/workers/${workerId}`;
  return {
    workerId,
    entry: {
      worker_id: workerId,
      type,
      status: status ?? PROTOCOL_WORDS[changes.state ?? 'running'] ?? 'running',
      model: 'haiku',
      started_at: '2026-03-01T14:30:22Z',
      completed_at: null,
      output_dir: `.keysarium/workers/${workerId}/`,
      retry_count: 0,
      extra: {},
    },
    state: 'running',
    health: 'ok',
    attention: null,
    progress: null,
    error: null,
    startedAt: START,
    endedAt: null,
    nextStartAt: null,
    canRetry: false,
    lastSeenAt: START,
    pid: 4711,
    owned: true,
    exit: null,
    stop: null,
    isolation: null,
    fuses: null,
    engine: null,
    problem: null,
    snoozed: {},
    outputs: [],
    folder,
    logFile: `${folder}/worker.log`,
    evidence: [],
    ...changes,
  };
}

/** What a surface shows of `/project` with these workers. */
export function fleetSnapshot(workers: readonly WorkerSnapshot[], changes: Partial<FleetSnapshot> = {}): FleetSnapshot {
  const outlook = { fuses: [], queue: [], schedules: [], suggestions: [], configDiagnostics: [], session: null };
  return { at: START, root: '/project', leader: null, maxConcurrent: 3, workers, problems: [], ...outlook, ...changes };
}
