import type { EventLine } from '../protocol/events/eventLine';

/** What a reader met beside the events that hold. */
export interface SequenceFaults {
  /** Lines of a leader that had lost its lease, and repeated ones. */
  readonly dropped: number;
  /** Sequence numbers that are nowhere, because somebody damaged the log. */
  readonly missing: number;
}

export interface SequenceOptions {
  /** The last event that is known to hold. */
  readonly after: { readonly seq: number; readonly epoch: number };
  /** How many lines a leader may write between two looks at its lease. */
  readonly batchLines: number;
}

/**
 * The rule by which the lines of a log hold (lifecycle §6): sequence numbers only grow, and a lower epoch after a higher
 * one is dropped. A leader looks at its lease before each write, so one that lost it can still write once, also just
 * before the first line of its successor: the lines of that write are the only ones that are taken back.
 */
export class EventSequence {
  readonly #accept: (line: EventLine) => void;
  readonly #batchLines: number;
  #seq: number;
  #epoch: number;
  #held: EventLine[] = [];
  #dropped = 0;
  #missing = 0;

  constructor({ after, batchLines }: SequenceOptions, accept: (line: EventLine) => void) {
    this.#seq = after.seq;
    this.#epoch = after.epoch;
    this.#batchLines = batchLines;
    this.#accept = accept;
  }

  /** The last event that holds. */
  get seq(): number {
    return this.#seq;
  }

  get faults(): SequenceFaults {
    return { dropped: this.#dropped, missing: this.#missing };
  }

  push(line: EventLine): void {
    const { seq, epoch } = line;
    if (epoch < this.#epoch) {
      this.#dropped += 1;
    } else if (seq > this.#seq) {
      this.#missing += seq - this.#seq - 1;
      this.#hold(line);
    } else {
      this.#takeBack(line);
    }
  }

  /** No more lines are there for now. */
  end(): void {
    this.#release(0);
  }

  /** A successor counts on from what it had seen; what its predecessor wrote behind that never held. */
  #takeBack(line: EventLine): void {
    const from = this.#held.findIndex(({ seq, epoch }) => seq === line.seq && epoch < line.epoch);
    const undone = from < 0 ? [] : this.#held.splice(from);
    this.#dropped += undone.length === 0 ? 1 : undone.length;
    if (undone.length > 0) {
      this.#hold(line);
    }
  }

  #hold(line: EventLine): void {
    this.#held.push(line);
    this.#seq = line.seq;
    this.#epoch = line.epoch;
    this.#release(this.#batchLines);
  }

  #release(keep: number): void {
    while (this.#held.length > keep) {
      const first = this.#held.shift();
      if (first !== undefined) {
        this.#accept(first);
      }
    }
  }
}
