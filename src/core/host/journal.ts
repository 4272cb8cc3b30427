import type { Clock } from '../base/clock';
import { errorText } from '../base/errorText';
import type { Logger } from '../base/logger';
import { fail, ok } from '../base/result';
import { SerialQueue } from '../base/serialQueue';
import { TimeSlice } from '../base/timeSlice';
import { EventLog, LeaseLost } from '../eventlog/eventLog';
import { fleetLogIn } from '../eventlog/fleetLog';
import type { FleetEvent } from '../protocol/events/fleetEvent';
import type { FleetMoment } from '../protocol/events/fleetMoment';
import { newsIn } from '../protocol/events/eventNews';
import { foundEvents, type SeenFleet } from '../protocol/events/foundEvents';
import type { Lease } from '../registry/lease';
import { refusalOf } from '../registry/registryRefusal';
import type { Outcome, Refusal } from './api';

/** So many workers are compared with the log before others may run. */
const AT_ONCE = 50;

export interface JournalOptions {
  readonly workersDir: string;
  readonly lease: Pick<Lease, 'verify'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly surface: string;
  readonly pid: number;
}

/**
 * The log of events in the hands of the process that leads. What cannot be written now waits in its order and goes first
 * as soon as the disk takes it; starts are refused meanwhile, so what waits stays little. What waits when the process
 * ends is found again in the keepers' files by the next leader (lifecycle §8).
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #writes = new SerialQueue();
  #log: { readonly epoch: number; readonly log: EventLog<FleetEvent, FleetMoment> } | null = null;
  #waiting: FleetEvent[] = [];
  /** Why the last try to write failed; null once one succeeded. */
  #trouble: Refusal | null = null;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** Writes under this epoch from now on, with the change of leader as its first line. Idempotent per epoch. */
  async lead(epoch: number): Promise<void> {
    await this.#writes.run(async () => {
      if (this.#log?.epoch !== epoch) {
        this.close();
        await this.#open(epoch);
      }
    });
  }

  /** Stops writing: another process leads. */
  close(): void {
    this.#log?.log.close();
    this.#log = null;
    this.#waiting = [];
  }

  /** Writes the event before anything else may happen; a refusal says what the person can do. */
  async require(event: FleetEvent): Promise<Outcome<null>> {
    return await this.#writes.run(async () => {
      const before = await this.#flush();
      if (before !== null) {
        return fail(before);
      }
      this.#waiting.push(event);
      const refusal = await this.#flush();
      if (refusal !== null) {
        this.#waiting = this.#waiting.filter((waiting) => waiting !== event);
      }
      return refusal === null ? ok(null) : fail(refusal);
    });
  }

  /** Writes the event as soon as the disk takes it. Nothing is written by a process that does not lead. */
  note(event: FleetEvent): void {
    if (this.#log !== null) {
      this.#waiting.push(event);
      void this.#writes.run(async () => this.#flush());
    }
  }

  /** Writes what a look shows and the log does not know; and whatever still waits. */
  found(seen: SeenFleet): void {
    if (this.#log !== null) {
      void this.#writes.run(async () => this.#writeFound(seen));
    }
  }

  /** Resolves when everything that was noted is written, or cannot be. */
  async idle(): Promise<void> {
    await this.#writes.run(() => undefined);
  }

  async #open(epoch: number): Promise<void> {
    const { workersDir, lease, clock, logger, surface, pid } = this.#options;
    try {
      const place = fleetLogIn(workersDir);
      const verify = async (): Promise<boolean> => lease.verify(epoch);
      const log = await EventLog.open<FleetEvent, FleetMoment>({ place, epoch, clock, verify });
      const { cutBytes, damaged, missing } = log.faults;
      if (cutBytes + damaged + missing > 0) {
        logger.warn('The event log was damaged; what can be read of it was kept.', { cutBytes, damaged, missing });
      }
      this.#log = { epoch, log };
      this.#waiting.push({ type: 'LeaderChanged', data: { pid, surface } });
      if (cutBytes > 0) {
        this.#waiting.push({ type: 'LogRepaired', data: { bytes: cutBytes } });
      }
      await this.#flush();
    } catch (error) {
      this.#tell(error);
    }
  }

  /** Some workers after the others: a thousand at once would hold up the window. */
  async #writeFound(seen: SeenFleet): Promise<void> {
    const slice = new TimeSlice(this.#options.clock);
    const { workers } = seen.snapshot;
    await this.#flush();
    for (let from = 0; from === 0 || from < workers.length; from += AT_ONCE) {
      const some = { ...seen.snapshot, workers: workers.slice(from, from + AT_ONCE) };
      const news = this.#log === null ? [] : foundEvents({ ...seen, snapshot: some }, this.#log.log.moment);
      this.#waiting.push(...(this.#trouble === null ? news : []));
      await this.#flush();
      if (slice.isOver) {
        await slice.pause();
      }
    }
  }

  /** Writes what waits, in order; gives why it could not. */
  async #flush(): Promise<Refusal | null> {
    const log = this.#log?.log ?? null;
    if (log === null) {
      return this.#trouble ?? notLeading;
    }
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        const news = newsIn(next, log.moment);
        if (news !== null) {
          await log.append(news);
        }
        this.#waiting.shift();
      }
      this.#trouble = null;
      return null;
    } catch (error) {
      return this.#tell(error);
    }
  }

  #tell(error: unknown): Refusal {
    if (error instanceof LeaseLost) {
      this.close();
      return notLeading;
    }
    const { workersDir, logger } = this.#options;
    const refusal = refusalOf(error, 'write the event log', workersDir);
    if (this.#trouble?.message !== refusal.message) {
      logger.warn(`Nothing is started meanwhile. ${refusal.message}`, { reason: errorText(error) });
    }
    this.#trouble = refusal;
    return refusal;
  }
}

const notLeading: Refusal = {
  code: 'not-leader',
  message: 'This process does not lead the project (any more). Try again.',
};
