import type { ExitRecord, RequestedBy } from '../keeper/exitRecord';
import type { StopStep } from '../keeper/stopReceipt';
import type { WorkerStateKind } from '../snapshot';
import type { Snooze } from '../workers/snoozes';

/** Everything that the leader writes down (lifecycle §8). `worker` is a worker id; times are ISO 8601 UTC. */
export type FleetEvent =
  /** A process got the lease. */
  | { readonly type: 'LeaderChanged'; readonly data: { readonly pid: number; readonly surface: string } }
  /** The end of the log was torn by a crash or a full disk and was cut off. */
  | { readonly type: 'LogRepaired'; readonly data: { readonly bytes: number } }
  /** A start was found valid; what became of it follows. Written before anything is made for it. */
  | { readonly type: 'StartRequested'; readonly data: { readonly workerType: string; readonly by: RequestedBy } }
  | { readonly type: 'StartRefused'; readonly data: { readonly workerType: string; readonly code: string } }
  /** `found`: this leader did not start it itself; it was met in the registry. */
  | { readonly type: 'WorkerStarted'; readonly data: StartedData }
  | { readonly type: 'WorkerRetried'; readonly data: { readonly worker: string; readonly retryOf: string } }
  | { readonly type: 'WorkerStateChanged'; readonly data: StateChange }
  /** Once per exit, also when it was seen by nobody who led at that time. */
  | { readonly type: 'WorkerExited'; readonly data: { readonly worker: string; readonly exit: ExitRecord } }
  | { readonly type: 'WorkerStopRequested'; readonly data: StopOrderData }
  | { readonly type: 'StopStepTaken'; readonly data: { readonly worker: string; readonly step: StopStep } }
  /** `worker` is null where it is the whole project's; `fuse` is the fuse with its number. */
  | { readonly type: 'FuseBlown'; readonly data: FuseData }
  /** By a person; the project's also because what it measures is below its limit again. */
  | { readonly type: 'FuseReset'; readonly data: FuseData }
  /** `count` of all violations that are known of this worker by now. */
  | { readonly type: 'ViolationSeen'; readonly data: { readonly worker: string; readonly count: number } }
  /** A program waits for a person. `text` is on one line. */
  | { readonly type: 'RequestAsked'; readonly data: RequestData & { readonly text: string } }
  /** It was answered, by whom, or `by` is `time-out`; `at` ISO 8601 UTC. */
  | { readonly type: 'RequestAnswered'; readonly data: RequestData & AnswerData }
  /** A person has put it off, or brought it back where `until` is the moment itself. `until` is ISO 8601 UTC. */
  | { readonly type: 'ItemSnoozed'; readonly data: SnoozeData }
  | { readonly type: 'StartQueued'; readonly data: { readonly id: string; readonly workerType: string } }
  /** Started, or taken back. */
  | { readonly type: 'StartDequeued'; readonly data: { readonly id: string } }
  | { readonly type: 'ScheduleStarted'; readonly data: { readonly workerType: string; readonly worker: string } }
  | { readonly type: 'SuggestionAnswered'; readonly data: { readonly id: string; readonly accepted: boolean } };

/** A worker's begin. `by` is null where nobody is known to have asked us. */
interface StartedData {
  readonly worker: string;
  readonly workerType: string;
  readonly startedAt: string;
  readonly by: RequestedBy | null;
  readonly found: boolean;
}

/** `event` names what moved the worker: a happening of the state machine, or `found` for what its files told. */
interface StateChange {
  readonly worker: string;
  readonly from: WorkerStateKind | null;
  readonly to: WorkerStateKind;
  readonly event: string;
}

interface FuseData {
  readonly worker: string | null;
  readonly fuse: string;
}

interface RequestData {
  readonly worker: string;
  readonly requestId: string;
  readonly tool: string;
}

interface AnswerData {
  readonly allowed: boolean;
  readonly by: RequestedBy;
  readonly at: string;
}

interface SnoozeData extends Snooze {
  readonly worker: string;
}

interface StopOrderData {
  readonly worker: string;
  readonly by: RequestedBy;
  readonly force: boolean;
}
