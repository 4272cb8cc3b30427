import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import type { TimerName, WorkerEffect } from './workerEffect';
import type { WorkerHappening } from './workerEvent';

const HAPPENING_OF: Readonly<Record<TimerName, WorkerHappening>> = {
  ready: { kind: 'readyTimeout' },
  stable: { kind: 'stableElapsed' },
  stop: { kind: 'graceElapsed' },
  backoff: { kind: 'backoffElapsed' },
  park: { kind: 'parkElapsed' },
};

/** The timers of one worker: at most one of each name, all monotonic. */
export class WorkerTimers implements Disposable {
  readonly #clock: Clock;
  readonly #elapsed: (happening: WorkerHappening) => void;
  readonly #armed = new Map<TimerName, Disposable>();
  #retry: Disposable | null = null;

  constructor(clock: Clock, elapsed: (happening: WorkerHappening) => void) {
    this.#clock = clock;
    this.#elapsed = elapsed;
  }

  arm({ timer, delayMs }: Extract<WorkerEffect, { kind: 'armTimer' }>): void {
    this.#armed.get(timer)?.dispose();
    const armed = this.#clock.schedule(delayMs, () => {
      this.#armed.delete(timer);
      this.#elapsed(HAPPENING_OF[timer]);
    });
    this.#armed.set(timer, armed);
  }

  /** Runs `again` once after `delayMs`; a later call replaces an earlier one. Not a timer of the state: it stays armed. */
  retry(delayMs: number, again: () => void): void {
    this.#retry?.dispose();
    this.#retry = this.#clock.schedule(delayMs, again);
  }

  /** Disarms the timers of the state. */
  cancel(): void {
    for (const timer of this.#armed.values()) {
      timer.dispose();
    }
    this.#armed.clear();
  }

  dispose(): void {
    this.cancel();
    this.#retry?.dispose();
  }
}
