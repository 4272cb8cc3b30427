import type {
  Dismissal,
  FuseReset,
  RequestAnswered,
  StartedWorker,
  StopAccepted,
  StopAllReport,
} from '../../core/host/api';
import type { EventLine } from '../../core/protocol/events/eventLine';
import type { LeaderSnapshot, ScheduleSnapshot, WorkerSnapshot } from '../../core/protocol/snapshot';
import type { Suggestion } from '../../core/protocol/workers/triggers';
import type { WorkerType } from '../../core/protocol/workers/workerType';
import { iso, queuedStartJson, scheduleJson } from './planJson';
import { SCHEMA } from './schema';

/** A document as it stands on stdout. */
export function formatJson(document: object): string {
  return JSON.stringify(document, null, 2);
}

/** Any refused or failed command; `message` is the protocol's text. */
export function refusalJson({ code, message }: { readonly code: string; readonly message: string }): object {
  return { schema: SCHEMA, error: { code, message } };
}

/** What every document about a new worker says. */
export type BegunWorker = Pick<StartedWorker, 'workerId' | 'type' | 'model' | 'status' | 'outputDir'>;

/** `start --json` and `retry --json`, right after the start. */
export function startedJson({ workerId, type, model, status, outputDir }: BegunWorker): object {
  return { schema: SCHEMA, worker_id: workerId, type, model, status, output_dir: outputDir };
}

/** `stop --json`, right after the request. */
export function stopJson({ workerId, status }: StopAccepted): object {
  return { schema: SCHEMA, worker_id: workerId, status };
}

/** `allow --json`, `deny --json` and `answer --json`. */
export function requestAnsweredJson({ workerId, requestId, message }: RequestAnswered): object {
  return { schema: SCHEMA, worker_id: workerId, requestId, message };
}

/** `inbox dismiss --json` of what is of a worker. */
export function dismissalJson({ workerId, message }: Dismissal): object {
  return { schema: SCHEMA, worker_id: workerId, message };
}

/** `fuse reset --json`. */
export function fuseResetJson({ workerId, fuse }: FuseReset): object {
  return { schema: SCHEMA, worker_id: workerId, fuse };
}

/** `stop --all --json`, right after the requests: who stops, who does not and why, and which starts were taken back. */
export function stoppedAllJson({ stopped, refused, dequeued }: StopAllReport): object {
  return {
    schema: SCHEMA,
    stopped: stopped.map(({ workerId, status }) => ({ worker_id: workerId, status })),
    refused: refused.map(({ workerId, error }) => ({ worker_id: workerId, error })),
    cancelled: dequeued.map(queuedStartJson),
  };
}

/** `start --wait --json` and `stop --wait --json`: the worker once it has ended; in `backoff` it is retried by itself. */
export function endedJson(worker: WorkerSnapshot): object {
  const { entry, state, exit, error, outputs } = worker;
  const { worker_id, type, model, status, output_dir, completed_at } = entry;
  const own = { state, nextStartAt: iso(worker.nextStartAt), exit, error, outputs };
  return { schema: SCHEMA, worker_id, type, model, status, output_dir, completed_at, ...own };
}

/** `list --json`; the schedules of types that have one. */
export function listJson(types: readonly WorkerType[], schedules: readonly ScheduleSnapshot[]): object {
  const shown = types.map(({ name, model, description, source }) => ({ name, model, description, source }));
  return { schema: SCHEMA, types: shown, schedules: schedules.map(scheduleJson) };
}

/** `notify --json`: what was noted, and what is worth a start now. */
export function notedJson(event: string, suggestions: readonly Suggestion[]): object {
  return { schema: SCHEMA, noted: event, suggestions };
}

/** One line of `events --json`: each is a document of its own. */
export function eventLineJson(event: EventLine): string {
  return JSON.stringify({ schema: SCHEMA, ...event });
}

/** One line of `supervise --json`: who leads from now on. */
export function supervisingJson(leader: LeaderSnapshot | null): string {
  return JSON.stringify({ schema: SCHEMA, leader });
}

/** `logs --json` without `-f`. */
export function logJson(workerId: string, text: string): object {
  const lines = text.split('\n');
  if (lines.at(-1) === '') {
    lines.pop();
  }
  return { schema: SCHEMA, worker_id: workerId, lines };
}

/** One line of `logs -f --json`: each is a document of its own. */
export function logLineJson(workerId: string, line: string): string {
  return JSON.stringify({ schema: SCHEMA, worker_id: workerId, line });
}
