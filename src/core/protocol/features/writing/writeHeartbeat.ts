import { asciiJson } from './editJson';
import { changedState, entryOf, type OpenState } from './stateText';
import { utcTime } from './writtenTime';

/** One sign of life of a worker. */
export interface Beat {
  readonly worker: number;
  /** Null where it has none. */
  readonly task: string | null;
  readonly step: string;
  /** 0 to 100. */
  readonly progressPct: number;
  readonly currentStep: number | null;
  readonly totalSteps: number | null;
  readonly stepStates: readonly string[] | null;
}

/** The whole text of `heartbeat-{id}.json` in the newest dialect. `now` is epoch milliseconds. */
export function heartbeatText(beat: Beat, now: number): string {
  const fields = {
    worker_id: beat.worker,
    timestamp: utcTime(now),
    task_id: beat.task,
    step: beat.step,
    progress_pct: beat.progressPct,
    current_step: beat.currentStep,
    total_steps: beat.totalSteps,
    step_states: beat.stepStates,
  };
  const pairs = Object.entries(fields).map(([key, value]) => `"${key}": ${spaced(value)}`);
  return asciiJson(`{${pairs.join(', ')}}`);
}

/** Python puts a space behind each comma. */
function spaced(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(spaced).join(', ')}]` : JSON.stringify(value);
}

/** The state in which the worker runs and is at its task, as the document's `update_worker_heartbeat` leaves it. */
export function beatWorker(state: OpenState, { worker, task }: Beat): string {
  const path = ['workers', String(worker)];
  if (entryOf(state.record, 'workers', String(worker)) === null) {
    return changedState(state, [{ path, value: newWorker(worker, task) }]);
  }
  return changedState(state, [
    { path: [...path, 'status'], value: 'running' },
    { path: [...path, 'current_task'], value: task },
  ]);
}

/** The real tool refuses a worker without these fields. */
function newWorker(worker: number, task: string | null): object {
  return {
    worker_id: worker,
    status: 'running',
    current_task: task,
    port: null,
    container_id: null,
    worktree_path: null,
    branch: null,
    health_check_at: null,
    started_at: null,
    ready_at: null,
    last_task_completed_at: null,
    tasks_completed: 0,
    context_usage: 0,
  };
}
