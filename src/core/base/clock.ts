import { toDisposable, type Disposable } from './disposable';

/**
 * The only source of time in core. Wall time (`now`) can jump; durations and timers use the monotonic side.
 * All values are milliseconds.
 */
export interface Clock {
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Monotonic time, milliseconds since some fixed instant of this process. */
  monotonic(): number;
  /** Runs `run` once after `delayMs`, unless disposed before. */
  schedule(delayMs: number, run: () => void): Disposable;
}

/** The machine's clock. Its timers never keep a process alive by themselves when `unref` is set. */
export function systemClock(options: { readonly unref?: boolean } = {}): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    schedule(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      if (options.unref === true) {
        timer.unref();
      }
      return toDisposable(() => {
        clearTimeout(timer);
      });
    },
  };
}

/** Resolves after `delayMs` of the given clock. */
export async function delay(clock: Clock, delayMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    clock.schedule(delayMs, resolve);
  });
}
