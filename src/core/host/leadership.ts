import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import type { Logger } from '../base/logger';
import { SerialQueue } from '../base/serialQueue';
import type { Lease, LeaseAttempt } from '../registry/lease';
import type { RegistryRefusal } from '../registry/registryRefusal';

export interface LeadershipOptions {
  readonly lease: Lease;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called once per won epoch, after the lease is ours. */
  readonly onGained: (epoch: number) => Promise<void>;
  /** Called when the lease went to somebody else. */
  readonly onLost: () => void;
}

/** What became of a job that only a leader may do. */
export type LedJob<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** Somebody else leads at this moment. */
  | { readonly kind: 'not now' }
  /** Nobody can lead here, e.g. because the folder is read-only. */
  | { readonly kind: 'impossible'; readonly error: RegistryRefusal };

/** How often a follower looks whether the leader is gone: well under the two seconds of lifecycle §6. */
const RETRY_MS = 1_000;
/** Whoever asked for the lead takes it within milliseconds. */
const HANDED_OVER_MS = 5_000;

/**
 * Wants to lead one root and keeps wanting it: takes the lease when nobody holds it, notices when it was lost, and
 * tries again. Never takes it from a living owner.
 */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #queue = new SerialQueue();
  #timer: Disposable | null = null;
  #wanted = false;
  #epoch: number | null = null;
  #trouble: string | null = null;

  constructor(options: LeadershipOptions) {
    this.#options = options;
  }

  /** The epoch that this process leads with, or null. */
  get epoch(): number | null {
    return this.#epoch;
  }

  /** Starts wanting; resolves after the first try. */
  async want(): Promise<void> {
    this.#wanted = true;
    await this.check();
  }

  /** One look: win, keep, or notice the loss. */
  async check(): Promise<void> {
    await this.#queue.run(async () => {
      if (this.#wanted) {
        await this.#check();
      }
    });
    this.#timer?.dispose();
    this.#timer = this.#wanted ? this.#options.clock.schedule(RETRY_MS, () => void this.check()) : null;
  }

  /**
   * Leads for one job, if the lease can be had now. Who does not want to lead gives the lease back behind the job.
   */
  async leadFor<T>(job: (epoch: number) => Promise<T>): Promise<LedJob<T>> {
    const attempt = await this.#queue.run(async () =>
      this.#wanted ? this.#check() : this.#options.lease.tryAcquire(),
    );
    if (attempt.kind !== 'leading') {
      return attempt.kind === 'failed' ? { kind: 'impossible', error: attempt.error } : { kind: 'not now' };
    }
    try {
      return { kind: 'done', value: await job(attempt.epoch) };
    } finally {
      if (!this.#wanted) {
        await this.#options.lease.release();
      }
    }
  }

  /** Gives the lease to whoever asked for it, and wants it again once that one has had the time to take it. */
  async handOver(): Promise<void> {
    await this.#queue.run(async () => {
      if (this.#epoch !== null) {
        this.#epoch = null;
        this.#options.onLost();
        await this.#options.lease.release();
      }
    });
    this.#timer?.dispose();
    this.#timer = this.#wanted ? this.#options.clock.schedule(HANDED_OVER_MS, () => void this.check()) : null;
  }

  /** Stops wanting and gives the lease to whoever waits. */
  async release(): Promise<void> {
    this.#wanted = false;
    this.#timer?.dispose();
    await this.#queue.run(async () => {
      if (this.#epoch !== null) {
        this.#epoch = null;
        await this.#options.lease.release();
      }
    });
  }

  async #check(): Promise<LeaseAttempt> {
    if (this.#epoch !== null && (await this.#options.lease.verify(this.#epoch))) {
      return { kind: 'leading', epoch: this.#epoch };
    }
    if (this.#epoch !== null) {
      this.#epoch = null;
      this.#options.onLost();
    }
    return await this.#tryGain();
  }

  /** A trouble that stays the same is tried again every second and told once. */
  #tellOnce(trouble: string | null): void {
    if (trouble !== null && trouble !== this.#trouble) {
      this.#options.logger.warn(trouble);
    }
    this.#trouble = trouble;
  }

  async #tryGain(): Promise<LeaseAttempt> {
    const attempt = await this.#options.lease.tryAcquire();
    this.#tellOnce(attempt.kind === 'failed' ? attempt.error.message : null);
    if (attempt.kind === 'leading') {
      this.#epoch = attempt.epoch;
      await this.#options.onGained(attempt.epoch);
    }
    return attempt;
  }
}
