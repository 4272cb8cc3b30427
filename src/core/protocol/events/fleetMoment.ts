import type { ExitRecord } from '../keeper/exitRecord';
import type { StopStep } from '../keeper/stopReceipt';
import type { WorkerStateKind } from '../snapshot';

/** One worker as the log knows it at some moment. Times are ISO 8601 UTC. */
export interface WorkerMoment {
  readonly type: string;
  /** Null before its first change of state. */
  readonly state: WorkerStateKind | null;
  readonly startedAt: string;
  /** When the log last told something of it. */
  readonly changedAt: string;
  readonly exit: ExitRecord | null;
  readonly stopBy: string | null;
  readonly stopStep: StopStep | null;
  readonly fuse: string | null;
  /** That fuse was reset; absent: it was not. */
  readonly fuseReset?: boolean;
  readonly violations: number;
  readonly retryOf: string | null;
  /** What it asked a person, what was answered and put off, the latest last: `requestKey` of each; absent: nothing. */
  readonly requests?: readonly string[];
}

/** The fleet as the log tells it, after the event `seq`. */
export interface FleetMoment {
  /** 0 before the first event. */
  readonly seq: number;
  readonly epoch: number;
  /** Timestamp of that event, or null. */
  readonly at: string | null;
  readonly leader: { readonly pid: number; readonly surface: string; readonly since: string } | null;
  readonly workers: ReadonlyMap<string, WorkerMoment>;
  /** Queued starts: id → type. */
  readonly queue: ReadonlyMap<string, string>;
  /** The project's own fuses that are blown, each with its number. */
  readonly fuses: readonly string[];
  /** With this many workers those that ended long ago are forgotten; a part of the state, so that every replay agrees. */
  readonly forgetAt: number;
}

/** So many requests and answers of a worker are remembered; a keeper's record holds fewer. */
export const REMEMBERED_REQUESTS = 200;

/** What the log remembers of a request, or of its answer. */
export function requestKey(kind: 'asked' | 'answered', requestId: string): string {
  return `${kind} ${requestId}`;
}

/** What it remembers of an item that was put off. */
export function snoozeKey(item: string, until: string): string {
  return `snoozed ${item} ${until}`;
}

/** How many workers a moment holds before old ones are forgotten for the first time. */
export const FORGET_FIRST = 1_000;

/** Before the first event. */
export function emptyMoment(): FleetMoment {
  return {
    seq: 0,
    epoch: 0,
    at: null,
    leader: null,
    workers: new Map(),
    queue: new Map(),
    fuses: [],
    forgetAt: FORGET_FIRST,
  };
}
