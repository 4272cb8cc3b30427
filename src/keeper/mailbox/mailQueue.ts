import type { MailState } from '../../core/protocol/keeper/mail';
import type { MailEnd, SpoolHead } from '../../core/protocol/keeper/spoolLine';
import type { Place } from './spoolFile';

interface Mail {
  place: Place;
  /** The agent's process that it was handed to last; null while none got it. */
  by: string | null;
  /** What that process said that it had begun before, or null where it says no such thing. */
  cursor: number | null;
  /** More than one process got it, or will. */
  isRepeated: boolean;
}

/** So many of the mail that is done with are remembered one by one at least. */
const REMEMBERED = 4096;

/** Mail for one agent: what waits, what its process has, and what was there before, so that nothing is doubled. */
export class MailQueue {
  readonly #mail = new Map<number, Mail>();
  #waiting: number[] = [];
  /** Those before it in `#waiting` are gone. */
  #head = 0;
  readonly #open = new Set<number>();
  readonly #aside = new Set<number>();
  /** Answers to calls that nobody was handed yet, oldest first. */
  readonly #answers = new Set<number>();
  #ends = new Map<number, MailEnd>();
  #floor = 0;

  /** How much was not handed to anybody. */
  get size(): number {
    return this.#waiting.length - this.#head + this.#aside.size;
  }

  /** What a process has and has not done with, oldest first. */
  get open(): ReadonlySet<number> {
    return this.#open;
  }

  /** For the head of a spool that is written anew. */
  get past(): Pick<SpoolHead, 'floor' | 'ends'> {
    return { floor: this.#floor, ends: [...this.#ends] };
  }

  /** Takes over what the head of a spool says. */
  remember({ floor, ends }: Pick<SpoolHead, 'floor' | 'ends'>): void {
    this.#floor = floor;
    this.#ends = new Map(ends);
  }

  isKnown(seq: number): boolean {
    return seq <= this.#floor || this.#mail.has(seq) || this.#ends.has(seq);
  }

  /** `isAnswer`: it tells the end of a call. */
  add(seq: number, place: Place, isAnswer: boolean): void {
    this.#mail.set(seq, { place, by: null, cursor: null, isRepeated: false });
    this.#waiting.push(seq);
    if (isAnswer) {
      this.#answers.add(seq);
    }
  }

  /** The next ones that wait, in their order. */
  next(count: number): readonly number[] {
    return this.#waiting.slice(this.#head, this.#head + count);
  }

  /** The answer to a call that came while the process that listens does; null where none waits. */
  nextAnswer(): number | null {
    const [first] = this.#answers;
    return first ?? null;
  }

  placeOf(seq: number): Place | null {
    return this.#mail.get(seq)?.place ?? null;
  }

  byOf(seq: number): string | null {
    return this.#mail.get(seq)?.by ?? null;
  }

  isRepeated(seq: number): boolean {
    return this.#mail.get(seq)?.isRepeated === true;
  }

  /**
   * What a process did with that is gone, by the cursor that it left. It handles one message behind the other: where it
   * began the one that the cursor names, it is through with all that it was handed before.
   */
  doneBefore(cursor: number): readonly number[] {
    const newest = this.#mail.get(cursor);
    const isBegun = newest !== undefined && newest.cursor !== null && newest.cursor < cursor;
    return isBegun ? [...this.#open].filter((seq) => seq < cursor && this.byOf(seq) === newest.by) : [];
  }

  hand(seqs: readonly number[], by: string, cursor: number | null): void {
    for (const seq of seqs) {
      const mail = this.#mail.get(seq);
      if (mail !== undefined) {
        mail.isRepeated ||= mail.by !== null && mail.by !== by;
        mail.by = by;
        mail.cursor = cursor;
        this.#open.add(seq);
      }
    }
    this.#leaveWaiting(seqs);
  }

  /** Takes what cannot go to the agent out of the way of the rest. */
  setAside(seq: number): void {
    this.#aside.add(seq);
    this.#leaveWaiting([seq]);
  }

  /**
   * A process of the agent begins to listen: what others had, and did not do with, waits again before everything else.
   * `again`: so does what this very process had, because its connection was lost in between.
   */
  begin(by: string, again: boolean): void {
    const back = [...this.#open].filter((seq) => again || this.#mail.get(seq)?.by !== by);
    for (const seq of back) {
      this.#open.delete(seq);
    }
    const waiting = [...back, ...this.#aside, ...this.#waiting.slice(this.#head)];
    this.#aside.clear();
    // Calls of an earlier process are none of this one.
    this.#answers.clear();
    this.#head = 0;
    this.#waiting = waiting.sort((a, b) => a - b);
  }

  /** Ends the matter of these; gives those of them that were there. */
  finish(seqs: readonly number[], end: MailEnd): readonly number[] {
    const found = seqs.filter((seq) => this.#mail.delete(seq));
    for (const seq of found) {
      this.#ends.set(seq, end);
      this.#aside.delete(seq);
    }
    this.#leaveWaiting(found.filter((seq) => !this.#open.delete(seq)));
    this.#forget();
    return found;
  }

  /** Everything that is not done with, in its order. */
  left(): readonly (Pick<Mail, 'place' | 'by' | 'cursor'> & { readonly seq: number })[] {
    return [...this.#mail].map(([seq, { place, by, cursor }]) => ({ seq, place, by, cursor }));
  }

  /** The file was written anew, in the order of `left()`. */
  move(places: readonly Place[]): void {
    [...this.#mail.values()].forEach((mail, index) => {
      mail.place = places[index] ?? mail.place;
    });
  }

  /** What was handed out, what was acknowledged, and what waits, for the leader. */
  state(): Omit<MailState, 'mailbox'> {
    const ended = (end: MailEnd): readonly number[] =>
      [...this.#ends].flatMap(([seq, how]) => (how === end ? [seq] : []));
    const left = [...this.#aside, ...this.#waiting.slice(this.#head)];
    const isHanded = (seq: number): boolean => this.byOf(seq) !== null;
    const acked = ended('acked');
    return {
      handed: [...this.#open, ...left.filter(isHanded), ...acked, ...ended('done')],
      acked,
      waiting: left.filter((seq) => !isHanded(seq)),
    };
  }

  #leaveWaiting(seqs: readonly number[]): void {
    for (const seq of seqs) {
      this.#answers.delete(seq);
      if (this.#waiting[this.#head] === seq) {
        this.#head += 1;
      } else {
        const index = this.#waiting.indexOf(seq, this.#head);
        this.#waiting.splice(index, index === -1 ? 0 : 1);
      }
    }
    if (this.#head * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
  }

  #forget(): void {
    if (this.#ends.size > 2 * REMEMBERED) {
      const oldestFirst = [...this.#ends.keys()].sort((a, b) => a - b);
      this.#floor = Math.max(this.#floor, oldestFirst[REMEMBERED] ?? 0);
      this.#ends = new Map([...this.#ends].filter(([seq]) => seq > this.#floor));
    }
  }
}
