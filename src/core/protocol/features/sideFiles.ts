import {
  entriesAt,
  type JsonRecord,
  readAny,
  readRecord,
  recordAt,
  recordsAt,
  recordsOf,
  textAt,
  wholeAt,
} from './jsonFields';
import { isRecord } from '../events/jsonGuards';
import { workerKey } from './workerKey';

/** A worker's call for help. */
export interface EscalationRecord {
  readonly worker: string | null;
  readonly task: string | null;
  /** As written, UTC. */
  readonly at: string | null;
  readonly category: string | null;
  readonly message: string | null;
  readonly resolved: boolean;
}

/** `escalations.json`: an object with a list, a bare list, or one bare object. Null where it is none of them. */
export function readEscalations(text: string): readonly EscalationRecord[] | null {
  const value = readAny(text);
  if (Array.isArray(value)) {
    return recordsOf(value).map(escalationOf);
  }
  if (!isRecord(value)) {
    return null;
  }
  return 'escalations' in value ? recordsAt(value, 'escalations').map(escalationOf) : bareEscalation(value);
}

function bareEscalation(record: JsonRecord): readonly EscalationRecord[] {
  const says = 'category' in record || 'message' in record || 'task_id' in record;
  return says ? [escalationOf(record)] : [];
}

function escalationOf(record: JsonRecord): EscalationRecord {
  return {
    worker: workerKey(record['worker_id']),
    task: textAt(record, 'task_id'),
    at: textAt(record, 'timestamp'),
    category: textAt(record, 'category'),
    message: textAt(record, 'message'),
    resolved: record['resolved'] === true,
  };
}

/** One tier of the checks of a worker's task, as it went last. */
export interface TierResult {
  readonly tier: number | null;
  readonly name: string | null;
  readonly success: boolean;
  readonly retry: number;
}

/** `progress-{id}.json`. */
export interface WorkerProgress {
  readonly worker: string | null;
  readonly task: string | null;
  readonly tasksCompleted: number | null;
  readonly tasksTotal: number | null;
  readonly step: string | null;
  readonly tiers: readonly TierResult[];
}

export function readWorkerProgress(text: string, nameId: string): WorkerProgress | null {
  const record = readRecord(text);
  return record === null
    ? null
    : {
        worker: workerKey(record['worker_id']) ?? workerKey(nameId),
        task: textAt(record, 'current_task'),
        tasksCompleted: wholeAt(record, 'tasks_completed'),
        tasksTotal: wholeAt(record, 'tasks_total'),
        step: textAt(record, 'current_step'),
        tiers: recordsAt(record, 'tier_results').map(tierOf),
      };
}

function tierOf(record: JsonRecord): TierResult {
  return {
    tier: wholeAt(record, 'tier'),
    name: textAt(record, 'name'),
    success: record['success'] === true,
    retry: wholeAt(record, 'retry') ?? 0,
  };
}

/** `tokens-{id}.json`: what a worker spent, by task. */
export interface TokenRecord {
  readonly worker: string | null;
  readonly tasks: ReadonlyMap<string, number>;
  readonly total: number | null;
}

export function readTokens(text: string, nameId: string): TokenRecord | null {
  const record = readRecord(text);
  if (record === null) {
    return null;
  }
  const tasks = entriesAt(record, 'tasks', (item) => textAt(item, 'task_id'));
  return {
    worker: workerKey(record['worker_id']) ?? workerKey(nameId),
    tasks: new Map(tasks.map(([id, item]) => [id, wholeAt(item, 'total') ?? 0])),
    total: wholeAt(recordAt(record, 'cumulative'), 'total_tokens'),
  };
}

/** `worker-assignments.json`: the worker that each task was planned for. */
export function readAssignments(text: string): ReadonlyMap<string, string> | null {
  const record = readRecord(text);
  if (record === null) {
    return null;
  }
  const planned = recordsAt(record, 'assignments').flatMap((item) => {
    const [task, worker] = [textAt(item, 'task_id'), workerKey(item['worker_id'])];
    return task === null || worker === null ? [] : [[task, worker] as const];
  });
  return new Map(planned);
}
