import type { KeptEngineOrder } from '../engines/keptEngine';
import type { FuseLimits } from './fuse';
import type { IsolationOrder } from './isolationOrder';
import type { MailboxOrder } from './mail';
import type { WorkerProcess } from './processIdentity';

/** One command as data: the keeper runs it as it stands, no shell involved (engines.md). */
export interface EngineCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process, already passed through the allow-list. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path. */
  readonly cwd: string;
  /** Text for stdin, which is closed behind it; null leaves stdin empty. */
  readonly stdin: string | null;
}

export interface OutputLimits {
  /** `output.raw` is emptied above this size, after it was read. */
  readonly rawBytes: number;
  /** `worker.log` is rotated above this size. */
  readonly logBytes: number;
  /** How many log files are kept, the current one included. */
  readonly logFiles: number;
}

/** Everything a keeper needs; sent as one JSON line on its stdin. A cut line starts nothing. */
export interface KeeperSpec {
  readonly v: 1;
  readonly workerId: string;
  readonly type: string;
  /** Absolute project root. */
  readonly root: string;
  /** Absolute folder of the worker. */
  readonly folder: string;
  readonly nonce: string;
  /** Epoch of the leader that starts this keeper. */
  readonly epoch: number;
  /** Protocol timestamp of the start, `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly startedAt: string;
  readonly command: EngineCommand;
  /** Values that must never reach a record or log. */
  readonly secrets: readonly string[];
  /** From the polite request to SIGTERM, milliseconds. */
  readonly graceMs: number;
  /** From SIGTERM to SIGKILL, milliseconds. */
  readonly termGraceMs: number;
  readonly limits: OutputLimits;
  /** Private folder for the control socket. */
  readonly runtimeDir: string;
  /** Take over this process of a dead keeper, or what is left of its tree, instead of spawning (lifecycle §7). */
  readonly adopt: WorkerProcess | null;
  /** How a run that is started is isolated; absent: not at all. Who takes over finds it in the record. */
  readonly isolation?: IsolationOrder;
  /** What a run that is started may use; absent: anything. Who takes over finds it in the record. */
  readonly fuses?: FuseLimits;
  /** What to know of a program that asks a model; absent for others. Who takes over finds it in the record. */
  readonly engine?: KeptEngineOrder;
  /** Makes this the keeper of a session agent: it writes no files of a background worker, and hosts the mailbox. */
  readonly mailbox?: MailboxOrder;
}

/** The single line a keeper prints on its stdout once its record is on disk, or the reason why it gave up. */
export type KeeperReady =
  | { readonly ready: true; readonly endpoint: string; readonly process: WorkerProcess | null }
  | { readonly ready: false; readonly message: string };
