import type { AnswerRecord, RequestAnswer } from '../engines/keptEngine';
import type { ExitRecord, RequestedBy } from './exitRecord';
import type { WorkerProcess } from './processIdentity';
import type { StopReceipt } from './stopReceipt';

/**
 * The control protocol on private pipes, keeper ↔ supervisor and follower ↔ leader (lifecycle §1): newline JSON,
 * first a hello, then requests, answers and events.
 */
export interface Hello {
  readonly v: 1;
  readonly nonce: string;
  /** Epoch of the caller's lease; keepers refuse a lower one than they have obeyed. 0 for callers that only look. */
  readonly epoch: number;
}

export interface ControlRequest {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

export interface ControlFault {
  readonly code: string;
  readonly message: string;
}

export type ControlAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ControlFault };

export interface ControlEvent {
  readonly event: string;
  readonly params: unknown;
}

/** A keeper's answer to `beat`: a sign of life with what it knows now. Times are ISO 8601 UTC. */
export interface KeeperBeat {
  readonly process: WorkerProcess | null;
  readonly outputBytes: number;
  readonly lastOutputAt: string | null;
  readonly stop: StopReceipt | null;
  readonly exit: ExitRecord | null;
}

/** Methods of a keeper's pipe. */
export interface KeeperMethods {
  beat: { readonly params: null; readonly result: KeeperBeat };
  /** `force` starts at SIGTERM; repeating a stop skips to the next step. */
  stop: {
    readonly params: { readonly requestedBy: RequestedBy; readonly force: boolean };
    readonly result: StopReceipt;
  };
  /** Answers what the program asks a person; `requestId` is one of the record's open requests. */
  answer: { readonly params: RequestAnswer; readonly result: AnswerRecord };
  /** While followed, the keeper looks at the output every 250 ms at least. */
  follow: { readonly params: { readonly on: boolean }; readonly result: null };
}

/** Events of a keeper's pipe. */
export interface KeeperEvents {
  exit: ExitRecord;
  stopStep: StopReceipt;
}
