import { errorText } from '../base/errorText';
import type { FleetSnapshot, WorkerSnapshot } from '../protocol/snapshot';
import { askedFor, askedForIn } from '../protocol/workers/askedFor';
import type { QueuedStart } from '../protocol/workers/queueDocument';
import { isActive } from '../protocol/workers/statusWord';
import type { Outcome, Refusal, StartedWorker } from './api';
import { plainStart, type StartOrder } from './enterRegistry';
import type { HostContext } from './hostContext';

export interface FollowUpsOptions {
  readonly context: HostContext;
  readonly start: (order: StartOrder) => Promise<Outcome<StartedWorker>>;
  /** Lets a parked worker go on. */
  readonly wake: (workerId: string) => Promise<Outcome<StartedWorker>>;
}

/** After a full disk or the like: no file is hammered, and the log is not flooded. */
const PAUSE_MS = 30_000;

/** Refusals that the next look knows of: the slot was taken meanwhile, or the start was made, taken back or stopped. */
const PASSING: ReadonlySet<Refusal['code']> = new Set(['limit', 'wrong-state', 'not-found']);

/** Refusals after which a queued start waits for nothing any more. */
const FINAL: ReadonlySet<Refusal['code']> = new Set([
  'wrong-state',
  'not-found',
  'unknown-type',
  'missing-template',
  'engine',
  'spawn-failed',
]);

/**
 * Starts what waits for its moment, in the process that leads: parked workers and automatic retries whose wait is over, then queued starts
 * while a slot is free. One at a time, so that what fell due while nobody led does not start all at once.
 */
export class FollowUps {
  readonly #options: FollowUpsOptions;
  #run: Promise<void> | null = null;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: FollowUpsOptions) {
    this.#options = options;
  }

  /** Starts at most one of what is due, unless that is under way. The caller leads. */
  startWhereDue(snapshot: FleetSnapshot): void {
    if (this.#run !== null || this.#options.context.clock.monotonic() < this.#pausedUntil) {
      return;
    }
    const active = snapshot.workers.filter(({ entry }) => isActive(entry.status)).length;
    const made = madeAlready(snapshot);
    const rested = snapshot.workers.find((worker) => worker.state === 'parked' && isDue(worker, snapshot.at));
    if (made !== undefined) {
      this.#track(this.#settle(made.id));
    } else if (rested !== undefined) {
      // It has kept its slot.
      this.#track(this.#wake(rested.workerId));
    } else if (active < snapshot.maxConcurrent) {
      this.#startFirst(snapshot);
    }
  }

  /** Resolves when a start that is under way has been recorded. */
  async idle(): Promise<void> {
    await this.#run;
  }

  #startFirst(snapshot: FleetSnapshot): void {
    const { workers, queue, at } = snapshot;
    const retry = workers.find((worker) => worker.state === 'backoff' && isDue(worker, at));
    const [queued] = queue;
    if (retry !== undefined) {
      this.#track(this.#retry(retry));
    } else if (queued !== undefined) {
      this.#track(this.#startQueued(queued));
    }
  }

  #track(run: Promise<void>): void {
    const { clock, logger } = this.#options.context;
    this.#run = run
      .catch((error: unknown) => {
        this.#pausedUntil = clock.monotonic() + PAUSE_MS;
        logger.error('What waits could not be started; it is tried again.', { reason: errorText(error) });
      })
      .finally(() => {
        this.#run = null;
      });
  }

  async #retry({ workerId, entry }: WorkerSnapshot): Promise<void> {
    const request = { ...askedForIn(entry), type: entry.type, requestedBy: this.#options.context.surface };
    const order = { ...plainStart(request), retryOf: workerId, byItself: true };
    this.#tell(await this.#options.start(order), { retry: workerId });
  }

  async #wake(workerId: string): Promise<void> {
    this.#tell(await this.#options.wake(workerId), { parked: workerId });
  }

  /** Who asked has the answer in the registry's row or in the log; what may still come to be keeps its place. */
  async #startQueued({ id, type, engine, isolation }: QueuedStart): Promise<void> {
    const request = { ...askedFor(engine, isolation), type, requestedBy: this.#options.context.surface };
    const outcome = await this.#options.start({ ...plainStart(request), queueId: id });
    this.#tell(outcome, { queued: type });
    if (outcome.ok || FINAL.has(outcome.error.code)) {
      await this.#settle(id);
    }
  }

  async #settle(id: string): Promise<void> {
    await this.#options.context.queueFile.update((queue) => queue.filter((start) => start.id !== id));
  }

  #tell(outcome: Outcome<StartedWorker>, what: Readonly<Record<string, string>>): void {
    const { clock, logger } = this.#options.context;
    if (outcome.ok) {
      logger.info('Started what was waiting.', { ...what, worker: outcome.value.workerId });
      return;
    }
    // A start that was refused is not tried ten times a second; what it waits for may take a while.
    this.#pausedUntil = clock.monotonic() + (PASSING.has(outcome.error.code) ? 0 : PAUSE_MS);
    logger.warn('What was waiting could not be started.', { ...what, reason: outcome.error.message });
  }
}

function isDue({ nextStartAt }: WorkerSnapshot, at: number): boolean {
  return nextStartAt !== null && nextStartAt <= at;
}

/** A leader that died between a start and its settling left that start in the queue. */
function madeAlready({ queue, workers }: FleetSnapshot): QueuedStart | undefined {
  return queue.find(({ id }) => workers.some(({ entry }) => entry.extra['queue_id'] === id));
}
