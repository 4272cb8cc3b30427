import { fail, ok, type Result } from '../../../base/result';
import { type JsonRecord, textAt } from '../jsonFields';
import { isHeld } from '../taskStatus';
import { workerKey } from '../workerKey';
import type { JsonEdit } from './editJson';
import { changedState, entryOf, type OpenState } from './stateText';

/** The words that a task's status may be set to (features.md §2). */
export const taskStatuses = [
  'todo',
  'pending',
  'claimed',
  'in_progress',
  'verifying',
  'complete',
  'failed',
  'blocked',
  'paused',
  'waiting_retry',
] as const;

export type TaskStatusWord = (typeof taskStatuses)[number];

export interface TaskChange {
  readonly task: string;
  readonly status: TaskStatusWord;
  /** Stays as it is where it is not given; a held task that becomes free again loses it. */
  readonly worker: number | null;
  /** Why it failed or is blocked. */
  readonly error: string | null;
  /** Of the design, for a task that the state does not list yet. */
  readonly level: number | null;
}

/** The state with the task's new status; fails with the reason where a claim is not allowed. `at` is naive local time. */
export function changeTask(state: OpenState, change: TaskChange, at: string): Result<string, string> {
  const known = entryOf(state.record, 'tasks', change.task);
  const refused = change.status === 'claimed' ? claimProblem(known, change) : null;
  if (refused !== null) {
    return fail(refused);
  }
  const path = ['tasks', change.task];
  const fields = Object.entries(newFields(known, change, at));
  const edits = known === null ? [{ path, value: Object.fromEntries(fields) }] : fieldEdits(path, fields);
  return ok(changedState(state, [...edits, ...eventEdits(known, change, at)]));
}

/** Only a free task can be claimed, and one that was planned for a worker only by that one. */
function claimProblem(known: JsonRecord | null, { task, worker }: TaskChange): string | null {
  if (worker === null) {
    return `a claim of ${task} must say for whom; name the worker`;
  }
  const status = known === null ? 'pending' : (textAt(known, 'status') ?? 'pending');
  if (status !== 'todo' && status !== 'pending') {
    return `${task} is ${status}, and only a pending task can be claimed; choose another one`;
  }
  const owner = workerKey(known?.['worker_id']);
  return owner === null || owner === String(worker)
    ? null
    : `${task} belongs to worker ${owner}; set it to pending for worker ${worker} first`;
}

function newFields(known: JsonRecord | null, change: TaskChange, at: string): JsonRecord {
  const { status, worker, error, level } = change;
  const released = worker === null && isFree(status) && known !== null && isHeld(textAt(known, 'status') ?? '');
  return {
    status,
    updated_at: at,
    ...(worker !== null || released ? { worker_id: worker } : {}),
    ...(known === null && level !== null ? { level } : {}),
    ...(error === null ? {} : { error }),
    ...timeOf(status, at),
  };
}

function isFree(status: TaskStatusWord): boolean {
  return status === 'pending' || status === 'todo';
}

function timeOf(status: TaskStatusWord, at: string): JsonRecord {
  switch (status) {
    case 'claimed':
      return { claimed_at: at };
    case 'in_progress':
      return { started_at: at };
    case 'complete':
      return { completed_at: at };
    default:
      return {};
  }
}

function fieldEdits(path: readonly string[], fields: readonly (readonly [string, unknown])[]): readonly JsonEdit[] {
  return fields.map(([key, value]) => ({ path: [...path, key], value }));
}

/** The ends of tasks are told in the log too, as the workers of the real tool do. */
function eventEdits(known: JsonRecord | null, change: TaskChange, at: string): readonly JsonEdit[] {
  const { task, status, worker, error } = change;
  if (status !== 'complete' && status !== 'failed') {
    return [];
  }
  const data = { task_id: task, worker_id: worker ?? known?.['worker_id'] ?? null };
  const event =
    status === 'complete' ? { event: 'task_complete', data } : { event: 'task_failed', data: { ...data, error } };
  return [{ path: ['execution_log', -1], value: { timestamp: at, ...event } }];
}
