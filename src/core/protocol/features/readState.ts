import { isRecord } from '../events/jsonGuards';
import { entriesAt, type JsonRecord, numberAt, readAny, recordAt, recordsAt, textAt, wholeAt } from './jsonFields';
import type { LevelRecord, RunEvent, StateDocument, StateKind, TaskRecord, WorkerRecord } from './stateDocument';
import { rawWorkerId, workerKey } from './workerKey';

/** What became of a file that may be a state. */
export type StateReading =
  | { readonly kind: 'state'; readonly document: StateDocument }
  /** Something else that lives in the same folder. */
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable' };

/**
 * Reads a state file: an object with `tasks` (both generations) or `completed_tasks` (the checkpoint). `legacy` is the
 * path `.zerg/state.json`, where only the older shapes occur. Never throws.
 */
export function readState(text: string, legacy: boolean): StateReading {
  const value = readAny(text);
  if (value === undefined || value === null) {
    // Nothing, as an interrupted writer leaves it, tells no more than half a file.
    return { kind: 'unreadable' };
  }
  const record = isRecord(value) ? value : {};
  const kind = kindOf(record, legacy);
  return kind === null ? { kind: 'other' } : { kind: 'state', document: documentOf(record, kind) };
}

function kindOf(record: JsonRecord, legacy: boolean): StateKind | null {
  if (isRecord(record['tasks']) || Array.isArray(record['tasks'])) {
    return legacy || isExecutionState(record) ? 'execution-state' : 'state';
  }
  return 'completed_tasks' in record ? 'checkpoint' : null;
}

/** The older class writes `checkpoints` and an id into each task, and knows neither levels nor a log. */
function isExecutionState(record: JsonRecord): boolean {
  return 'checkpoints' in record && !('levels' in record) && !('execution_log' in record);
}

function documentOf(record: JsonRecord, kind: StateKind): StateDocument {
  return {
    kind,
    feature: textAt(record, 'feature'),
    startedAt: textAt(record, 'started_at'),
    currentLevel: wholeAt(record, 'current_level'),
    paused: record['paused'] === true || record['state'] === 'paused',
    error: textAt(record, 'error'),
    tasks: kind === 'checkpoint' ? checkpointTasks(record) : tasksOf(record, kind),
    workers: workersOf(record),
    levels: levelsOf(record),
    events: recordsAt(record, 'execution_log').map(eventOf),
  };
}

function tasksOf(record: JsonRecord, kind: StateKind): ReadonlyMap<string, TaskRecord> {
  const entries = entriesAt(record, 'tasks', (item) => textAt(item, 'id') ?? textAt(item, 'task_id'));
  return new Map(entries.map(([id, item]) => [id, taskOf(id, item, kind)]));
}

function taskOf(id: string, item: JsonRecord, kind: StateKind): TaskRecord {
  const status = textAt(item, 'status') ?? 'unknown';
  return {
    ...plainTask(id, kind === 'execution-state' && status === 'running' ? 'in_progress' : status),
    worker: rawWorkerId(item['worker_id']),
    level: wholeAt(item, 'level'),
    title: textAt(item, 'title'),
    retryCount: wholeAt(item, 'retry_count') ?? 0,
    error: textAt(item, 'error'),
    nextRetryAt: textAt(item, 'next_retry_at'),
    claimedAt: textAt(item, 'claimed_at'),
    startedAt: textAt(item, 'started_at'),
    completedAt: textAt(item, 'completed_at'),
    updatedAt: textAt(item, 'updated_at'),
  };
}

/** A task of which nothing but its status is known. */
export function plainTask(id: string, status: string): TaskRecord {
  return {
    id,
    status,
    worker: null,
    level: null,
    title: null,
    retryCount: 0,
    error: null,
    nextRetryAt: null,
    claimedAt: null,
    startedAt: null,
    completedAt: null,
    updatedAt: null,
  };
}

/** The checkpoint only lists ids, or entries with an id; what failed later was not complete before. */
function checkpointTasks(record: JsonRecord): ReadonlyMap<string, TaskRecord> {
  const running = record['in_progress_tasks'] ?? record['running_tasks'] ?? record['active_tasks'];
  const lists = [
    ['in_progress', running],
    ['complete', record['completed_tasks']],
    ['failed', record['failed_tasks']],
  ] as const;
  return new Map(
    lists.flatMap(([status, list]) => listed(list).map((task) => [task.id, { ...task, status }] as const)),
  );
}

function listed(list: unknown): readonly TaskRecord[] {
  if (Array.isArray(list)) {
    return list.flatMap((item: unknown) => {
      const record = isRecord(item) ? item : {};
      const id = typeof item === 'string' ? item : (textAt(record, 'id') ?? textAt(record, 'task_id'));
      return id === null ? [] : [taskOf(id, record, 'checkpoint')];
    });
  }
  return isRecord(list) ? Object.entries(list).map(([id, item]) => failedEntry(id, item)) : [];
}

/** A map from the id to an entry, or to the failure's text. */
function failedEntry(id: string, item: unknown): TaskRecord {
  const task = taskOf(id, isRecord(item) ? item : {}, 'checkpoint');
  return typeof item === 'string' && item !== '' ? { ...task, error: item } : task;
}

function workersOf(record: JsonRecord): ReadonlyMap<string, WorkerRecord> {
  const named = (item: JsonRecord): string | null => workerKey(item['worker_id'] ?? item['id']);
  const workers = entriesAt(record, 'workers', named).flatMap(([name, item]) => {
    const key = workerKey(name);
    return key === null ? [] : [[key, workerOf(key, item)] as const];
  });
  return new Map(workers);
}

function workerOf(key: string, item: JsonRecord): WorkerRecord {
  return {
    key,
    status: textAt(item, 'status'),
    currentTask: textAt(item, 'current_task'),
    tasksCompleted: wholeAt(item, 'tasks_completed'),
    containerId: textAt(item, 'container_id'),
    port: wholeAt(item, 'port'),
    branch: textAt(item, 'branch'),
    contextUsage: numberAt(item, 'context_usage'),
    startedAt: textAt(item, 'started_at'),
    readyAt: textAt(item, 'ready_at'),
    healthCheckAt: textAt(item, 'health_check_at'),
    lastTaskCompletedAt: textAt(item, 'last_task_completed_at'),
  };
}

function levelsOf(record: JsonRecord): ReadonlyMap<number, LevelRecord> {
  const levels = entriesAt(record, 'levels', (item) => String(wholeAt(item, 'level') ?? '')).flatMap(([name, item]) =>
    /^\d{1,6}$/.test(name)
      ? [[Number(name), { status: textAt(item, 'status'), mergeStatus: textAt(item, 'merge_status') }] as const]
      : [],
  );
  return new Map(levels);
}

/** An entry of the execution log, or of the event file, which says `type` instead of `event`. */
export function eventOf(record: JsonRecord): RunEvent {
  const data = recordAt(record, 'data');
  return {
    at: textAt(record, 'timestamp') ?? textAt(record, 'ts'),
    event: textAt(record, 'event') ?? textAt(record, 'type') ?? '',
    worker: workerKey(data['worker_id'] ?? record['worker_id']),
    mode: textAt(data, 'mode'),
    totalTasks: wholeAt(data, 'total_tasks'),
  };
}
