import type { BeatRequest, RunWritten, TaskRequest } from '../../core/host/runWriter';
import { SCHEMA } from './schema';

/** `heartbeat --json`: what was told, and where it was written. */
export function beatJson({ feature, files }: RunWritten, { worker, task, step }: BeatRequest['beat']): object {
  return { schema: SCHEMA, feature, worker_id: worker, task_id: task, step, files };
}

/** `task --json`; `worker_id` is null where none was named. */
export function taskJson({ feature, files }: RunWritten, { task, status, worker }: TaskRequest['change']): object {
  return { schema: SCHEMA, feature, task_id: task, status, worker_id: worker, files };
}
