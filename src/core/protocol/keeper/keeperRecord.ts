import type { EngineRecord } from '../engines/keptEngine';
import type { ExitRecord } from './exitRecord';
import type { FuseRecord } from './fuse';
import type { IsolationRecord } from './isolationRecord';
import type { MailboxRecord } from './mail';
import type { ProcessIdentity, WorkerProcess } from './processIdentity';
import type { StopGraces } from './stopLadder';
import type { StopReceipt } from './stopReceipt';

/** One start of a worker's process. `exit` is null while it runs and stays null when nobody saw it end. */
export interface Attempt {
  readonly process: WorkerProcess | null;
  /** ISO 8601 UTC with milliseconds. */
  readonly startedAt: string;
  readonly exit: ExitRecord | null;
}

/** Where the keeper stands in the output, so that the next keeper goes on without losing or doubling a line. */
export interface OutputPosition {
  /** Bytes of `output.raw` that are already in the readable log. */
  readonly rawOffset: number;
  /** Size of `worker.log` when `rawOffset` was true. */
  readonly logBytes: number;
  /** Which file that was, because it may have been turned over since; absent in records of older keepers. */
  readonly logInode?: number;
  /** Bytes dropped by the output fuse since the start. */
  readonly droppedBytes: number;
}

/** `keeper.json` in a worker's folder (lifecycle §1): written by the keeper alone, readable by everyone. */
export interface KeeperRecord {
  readonly v: 1;
  readonly workerId: string;
  /** Shared secret of this keeper's control pipe; hex. */
  readonly nonce: string;
  readonly keeper: ProcessIdentity;
  readonly process: WorkerProcess | null;
  /** The argument vector with secrets replaced by `***`. */
  readonly command: readonly string[];
  /** ISO 8601 UTC with milliseconds. */
  readonly started: string;
  /** Path of the control socket or Windows pipe. */
  readonly endpoint: string;
  /** Highest leader epoch that this keeper has obeyed. */
  readonly epoch: number;
  readonly attempts: readonly Attempt[];
  readonly stop: StopReceipt | null;
  readonly output: OutputPosition;
  /** Absent in the records of older keepers and of runs that are not isolated. */
  readonly isolation?: IsolationRecord;
  /** Absent in the records of older keepers. */
  readonly fuses?: FuseRecord;
  /** How long the type's worker has for each step of a stop; absent in the records of older keepers. */
  readonly graces?: StopGraces;
  /** What its output tells; only of a program that asks a model. It holds for the output up to `output.rawOffset`. */
  readonly engine?: EngineRecord;
  /** Only in the record of a session agent. */
  readonly mailbox?: MailboxRecord;
}
