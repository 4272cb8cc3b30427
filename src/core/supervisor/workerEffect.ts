import type { ExitRecord, RequestedBy } from '../protocol/keeper/exitRecord';

/** The timers of one worker; arming one replaces the timer of that name. */
export type TimerName = 'ready' | 'stable' | 'stop' | 'backoff' | 'park';

/** What the supervisor must do after a transition, in this order. */
export type WorkerEffect =
  /** Start a keeper that starts the process. */
  | { readonly kind: 'spawn' }
  /** Have the keeper run its ladder. `again` presses a running ladder on; otherwise a running one is left alone. */
  | { readonly kind: 'requestStop'; readonly by: RequestedBy; readonly force: boolean; readonly again: boolean }
  | { readonly kind: 'armTimer'; readonly timer: TimerName; readonly delayMs: number }
  /** Disarm every timer of this worker. */
  | { readonly kind: 'cancelTimers' }
  /** Tell the host of this exit; once per exit. */
  | { readonly kind: 'recordExit'; readonly exit: ExitRecord }
  /** Ask the keeper for a beat. */
  | { readonly kind: 'probe' }
  /** Leave the keeper's pipe; the worker stays as it is. */
  | { readonly kind: 'release' };
