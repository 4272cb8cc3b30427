import type { EngineRemedy } from '../engines/engineRemedy';

/** How an attempt ended, by its evidence (lifecycle §4). */
export const exitClasses = [
  'done',
  'asked to stop',
  'crash',
  'never started',
  'exit 0 unconnected',
  'rate limited',
  'auth',
  'config',
  'not installed',
  'out of memory',
  'killed by someone else',
  'unknown exit',
] as const;
export type ExitClass = (typeof exitClasses)[number];

/** Who asked for a stop: the surface and the person's words for it, e.g. `vscode`, `cli`. */
export type RequestedBy = string;

/** Who asked where only the flag tells that somebody did: another program, or a person by `touch`. */
export const BY_STOP_FLAG: RequestedBy = 'stop flag';

/** One exit, recorded exactly once by the keeper. Times are ISO 8601 UTC with milliseconds. */
export interface ExitRecord {
  readonly code: number | null;
  readonly signal: string | null;
  readonly at: string;
  readonly class: ExitClass;
  /** Who had asked the worker to stop before it ended, or null. */
  readonly requestedBy: RequestedBy | null;
  /** True when the ladder had to use a signal to end it. */
  readonly forced: boolean;
  /** The fuse that ended it, with its number; absent where none did. */
  readonly fuse?: string;
  /** Why the keeper ended it without being asked to, or absent. */
  readonly reason?: string;
  /** What the output of a program that asks a model says of its end, on one line and safe to show. */
  readonly says?: string;
  /** What a person can do about that. */
  readonly remedy?: EngineRemedy;
  /** The service failed and not the work: it may well go better a second time. */
  readonly transient?: true;
  /** When its rate limit ends, where that is known. */
  readonly resetsAt?: string;
}
