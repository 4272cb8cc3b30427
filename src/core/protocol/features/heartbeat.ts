import { type JsonRecord, numberAt, readRecord, textAt, textsAt, wholeAt } from './jsonFields';
import { workerKey } from './workerKey';

/** The last sign of life of one worker, in either dialect (features.md §1). */
export interface Heartbeat {
  /** Null where neither the file nor its name says it. */
  readonly worker: string | null;
  /** As written; UTC where it names no offset. */
  readonly at: string | null;
  readonly task: string | null;
  /** Only the older dialect says it. */
  readonly status: string | null;
  readonly step: string | null;
  readonly progressPct: number | null;
  readonly currentStep: number | null;
  readonly totalSteps: number | null;
  readonly stepStates: readonly string[] | null;
}

/** Reads a heartbeat; `nameId` is the id in the file's name. Null where it is none. Never throws. */
export function readHeartbeat(text: string, nameId: string): Heartbeat | null {
  const record = readRecord(text);
  return record === null ? null : heartbeatOf(record, nameId);
}

function heartbeatOf(record: JsonRecord, nameId: string): Heartbeat {
  return {
    worker: workerKey(record['worker_id']) ?? workerKey(nameId),
    at: textAt(record, 'timestamp') ?? textAt(record, 'updated_at'),
    task: textAt(record, 'task_id'),
    status: textAt(record, 'status'),
    step: textAt(record, 'step'),
    progressPct: numberAt(record, 'progress_pct'),
    currentStep: wholeAt(record, 'current_step'),
    totalSteps: wholeAt(record, 'total_steps'),
    stepStates: textsAt(record, 'step_states'),
  };
}
