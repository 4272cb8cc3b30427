import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/disposable';
import { errorText } from '../../base/errorText';
import type { Logger } from '../../base/logger';
import { fail, ok } from '../../base/result';
import { type EventLog, LeaseLost } from '../../eventlog/eventLog';
import type { EventLine } from '../../protocol/events/eventLine';
import type { SessionEvent } from '../../protocol/actors/sessionEvent';
import type { SessionMoment } from '../../protocol/actors/sessionMoment';
import { refusalOf } from '../../registry/registryRefusal';
import type { Outcome, Refusal } from '../api';

export interface SessionJournalOptions {
  readonly log: EventLog<SessionEvent, SessionMoment>;
  readonly folder: string;
  /** How many events one write of the log may have. */
  readonly batchLines: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hears of all lines in their order, each once it is in the log. */
  readonly onWritten: (lines: readonly EventLine[]) => void;
}

/** Events that belong into one write, and who waits for it. */
interface Entry {
  readonly events: readonly SessionEvent[];
  /** Given up after the first failure. */
  readonly once: boolean;
  /** Nobody waits for it. */
  readonly isPatient: boolean;
  readonly done: (outcome: Outcome<readonly EventLine[]>) => void;
}

const RETRY_MS = 1_000;
/** What nobody waits for goes with what is written next, or after so long, milliseconds. */
const SOON_MS = 5;

/**
 * The session's log in the hands of the process that leads (actors.md §1). What comes together is written together. What
 * the disk does not take waits in its order, and nobody is told that it was taken.
 */
export class SessionJournal implements Disposable {
  readonly #options: SessionJournalOptions;
  #waiting: Entry[] = [];
  #writing: Promise<void> | null = null;
  #retry: Disposable | null = null;
  #soon: Disposable | null = null;
  #closed = false;
  #trouble: string | null = null;

  constructor(options: SessionJournalOptions) {
    this.#options = options;
  }

  /** The session after the last line; it moves on with the log. */
  get moment(): SessionMoment {
    return this.#options.log.moment;
  }

  /** Writes the events as soon as the disk takes them; false where that never came, because another process leads. */
  async add(events: readonly SessionEvent[]): Promise<boolean> {
    const pieces = piecesOf(events, this.#options.batchLines);
    const written = await Promise.all(pieces.map(async (piece) => this.#enqueue(piece, false)));
    return written.every((outcome) => outcome.ok);
  }

  /** Writes the events as soon as the disk takes them, behind those that were noted before. */
  note(...events: readonly SessionEvent[]): void {
    void this.add(events);
  }

  /** The same for what nobody waits for: a moment later, or together with what is written before that. */
  noteSoon(events: readonly SessionEvent[]): void {
    if (events.length > 0 && !this.#closed) {
      for (const piece of piecesOf(events, this.#options.batchLines)) {
        this.#waiting.push({ events: piece, once: false, isPatient: true, done: () => undefined });
      }
      this.#soon ??= this.#options.clock.schedule(SOON_MS, () => {
        this.#soon = null;
        this.#wake();
      });
    }
  }

  /** Writes the events before anything else may happen, all or none; a refusal says what the person can do. */
  async require(...events: readonly SessionEvent[]): Promise<Outcome<readonly EventLine[]>> {
    return await this.#enqueue(events, true);
  }

  /** Resolves when everything that was noted is written, or cannot be. */
  async idle(): Promise<void> {
    if (this.#soon !== null) {
      this.#wake();
    }
    await this.#writing;
  }

  /** Ends it: what still waits is found again in the keepers' files by the next leader. */
  dispose(): void {
    this.#closed = true;
    this.#options.log.close();
    this.#retry?.dispose();
    this.#soon?.dispose();
    for (const { done } of this.#waiting.splice(0)) {
      done(fail(notLeading));
    }
  }

  async #enqueue(events: readonly SessionEvent[], once: boolean): Promise<Outcome<readonly EventLine[]>> {
    if (this.#closed) {
      return fail(notLeading);
    }
    return await new Promise((done) => {
      this.#waiting.push({ events, once, isPatient: false, done });
      this.#wake();
    });
  }

  #wake(): void {
    if (this.#writing === null && this.#waiting.length > 0 && !this.#closed) {
      this.#writing = this.#writeWaiting().finally(() => {
        this.#writing = null;
        if (this.#retry === null && (this.#soon === null || this.#waiting.some(({ isPatient }) => !isPatient))) {
          this.#wake();
        }
      });
    }
  }

  async #writeWaiting(): Promise<void> {
    // Behind those who add something in the same turn of the event loop, so that it goes into the same write.
    await Promise.resolve();
    const batch = this.#nextBatch();
    try {
      const lines = await this.#options.log.appendAll(batch.flatMap(({ events }) => events));
      this.#waiting.splice(0, batch.length);
      this.#trouble = null;
      this.#options.onWritten(lines);
      let from = 0;
      for (const { events, done } of batch) {
        done(ok(lines.slice(from, from + events.length)));
        from += events.length;
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  #nextBatch(): readonly Entry[] {
    const batch: Entry[] = [];
    let lines = 0;
    for (const entry of this.#waiting) {
      lines += entry.events.length;
      if (lines > this.#options.batchLines && batch.length > 0) {
        break;
      }
      batch.push(entry);
    }
    return batch;
  }

  #failed(error: unknown): void {
    if (error instanceof LeaseLost) {
      this.dispose();
      return;
    }
    const refusal = refusalOf(error, 'write the log of the session', this.#options.folder);
    if (this.#trouble !== refusal.message) {
      this.#trouble = refusal.message;
      this.#options.logger.warn(`Nothing is accepted meanwhile. ${refusal.message}`, { reason: errorText(error) });
    }
    const refused = this.#waiting.filter(({ once }) => once);
    this.#waiting = this.#waiting.filter(({ once }) => !once);
    for (const { done } of refused) {
      done(fail(refusal));
    }
    this.#retry ??= this.#options.clock.schedule(RETRY_MS, () => {
      this.#retry = null;
      this.#wake();
    });
  }
}

function piecesOf(events: readonly SessionEvent[], most: number): readonly (readonly SessionEvent[])[] {
  const count = Math.ceil(events.length / most);
  return Array.from({ length: count }, (_none, index) => events.slice(index * most, (index + 1) * most));
}

const notLeading: Refusal = {
  code: 'not-leader',
  message: 'This process does not lead the project (any more). Try again.',
};
