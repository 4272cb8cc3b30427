import { RecentMap } from '../../core/base/recentMap';
import { isCallAnswer } from '../../core/protocol/actors/cliInvoke';
import type { Message } from '../../core/protocol/actors/message';
import type { AcceptedMessage, MailItem, MailState } from '../../core/protocol/keeper/mail';
import {
  acceptedOf,
  type MailEnd,
  readSpoolLine,
  type SpooledSend,
  type SpoolHead,
  type SpoolLine,
} from '../../core/protocol/keeper/spoolLine';
import { MailQueue } from './mailQueue';
import { SentQueue } from './sentQueue';
import { type Place, SpoolFile } from './spoolFile';

/** Mail as it is handed out. */
export interface SpooledMail extends MailItem {
  /** An earlier process of the agent may have got it. */
  readonly redelivered: boolean;
}

/** The file is written anew where at least so much of it, and more than half, is of no use, bytes. */
const WASTE_BYTES = 1024 * 1024;
/** Lines that were just written are mostly needed at once: so many are remembered at least, none that is longer, bytes. */
const FRESH_LINES = 128;
const FRESH_BYTES = 2048;

/**
 * An agent's mail in both directions, safe in `spool.jsonl` from the death of any process of ours: what it sent until the
 * leader has it, what goes to it until that is done with. Memory holds places in the file, and a few of the newest lines.
 */
export class Spool {
  readonly #file: SpoolFile;
  readonly #sent = new SentQueue();
  readonly #mail = new MailQueue();
  /** The newest lines by where they begin. */
  #fresh = new RecentMap<number, SpoolLine>(FRESH_LINES);
  /** Bytes of the lines that are still needed. */
  #usedBytes = 0;
  #rewriteAt = WASTE_BYTES;
  /** Lines that the disk refused; nothing is lost but work when they are. */
  #owed = '';
  /** The highest number when the file was opened; null once a leader has said what it knows. */
  #lastAtOpen: number | null;

  /** Opens the spool, made when absent. Throws when the disk refuses. */
  constructor(path: string) {
    this.#file = new SpoolFile(path, (text, place) => {
      const line = readSpoolLine(text);
      if (line !== null) {
        this.#replay(line, place);
      }
    });
    this.#lastAtOpen = this.#sent.last;
  }

  /** The number of the newest accepted message. */
  get last(): number {
    return this.#sent.last;
  }

  /** Mail that a process of the agent has and has not done with. */
  get open(): ReadonlySet<number> {
    return this.#mail.open;
  }

  /** What that process of the agent has and has not done with. */
  openOf(by: string): readonly number[] {
    return [...this.#mail.open].filter((seq) => this.#mail.byOf(seq) === by);
  }

  /** How much mail was not handed out. */
  get waiting(): number {
    return this.#mail.size;
  }

  state(): Omit<MailState, 'mailbox'> {
    return this.#mail.state();
  }

  /** Whether this process of the agent sent that before and it was accepted. */
  isAccepted(run: string, n: number): boolean {
    return this.#sent.isKnown(run, n);
  }

  /** Makes what the agent sent safe, by one write. Throws when the disk refuses; then nothing is accepted. */
  accept(sends: readonly SpooledSend[]): void {
    this.#addLines(sends, (send, place) => {
      this.#sent.add(place, send.run, send.n);
    });
  }

  /** What the agent sent, above that number, about so many bytes of it, at least one where there is one. */
  acceptedAfter(number: number, maxBytes: number): readonly AcceptedMessage[] {
    const found: AcceptedMessage[] = [];
    let bytes = 0;
    for (let next = Math.max(number + 1, this.#sent.first); bytes < maxBytes; next += 1) {
      const place = this.#sent.placeOf(next);
      if (place === null) {
        break;
      }
      bytes += place.bytes;
      found.push(...this.#acceptedAt(next, place));
    }
    return found;
  }

  /**
   * A leader says what it has. Where that is more than this file knew when it was opened (somebody removed it), everything
   * here is new to that leader, and gets numbers behind what it has.
   */
  meet(taken: number): void {
    const known = this.#lastAtOpen ?? taken;
    this.#lastAtOpen = null;
    this.take(Math.min(known, taken));
    if (taken > known) {
      this.#note({ shift: taken - known });
      this.#sent.shift(taken - known);
    }
  }

  /** The leader has everything up to this number. */
  take(upTo: number): void {
    const taken = this.#sent.take(upTo);
    if (taken.length > 0) {
      this.#usedBytes -= bytesOf(taken);
      this.#note({ taken: upTo });
    }
  }

  /** Makes mail safe; leaves out what was there before. Throws when the disk refuses; then nothing of it is there. */
  deliver(items: readonly MailItem[]): void {
    const seqs = new Set<number>();
    const fresh = items.filter(({ seq }) => !this.#mail.isKnown(seq) && seqs.size !== seqs.add(seq).size);
    this.#addLines(
      fresh.map(({ message, seq }) => ({ to: message, seq })),
      ({ seq, to }, place) => {
        this.#mail.add(seq, place, isCallAnswer(to));
      },
    );
  }

  /** Takes back what no process of the agent got; gives that. */
  withdraw(seqs: readonly number[]): readonly number[] {
    return this.#finish(
      seqs.filter((seq) => this.#mail.byOf(seq) === null),
      'withdrawn',
    );
  }

  /** A process of the agent begins to listen; see `MailQueue.begin`. */
  begin(by: string, again: boolean): void {
    this.#mail.begin(by, again);
  }

  /** The next mail that waits, at most so many, about so many bytes of it, at least one where there is one. */
  next(count: number, maxBytes = Number.POSITIVE_INFINITY): readonly SpooledMail[] {
    const found: SpooledMail[] = [];
    let bytes = 0;
    for (const seq of this.#mail.next(count)) {
      bytes += this.#mail.placeOf(seq)?.bytes ?? 0;
      if (found.length > 0 && bytes > maxBytes) {
        break;
      }
      found.push(...this.#mailAt(seq));
    }
    return found;
  }

  /** The mail that answers a call of the process that listens, if any waits: the first one. */
  nextAnswer(): readonly SpooledMail[] {
    const seq = this.#mail.nextAnswer();
    return seq === null ? [] : this.#mailAt(seq);
  }

  /** What a process that is gone did with, by the cursor that it left; see `MailQueue.doneBefore`. */
  doneBefore(cursor: number): readonly number[] {
    return this.#mail.doneBefore(cursor);
  }

  /**
   * These are about to go to that process, which had begun what `cursor` names when it came. Gives those that another
   * process may have got before.
   */
  hand(seqs: readonly number[], by: string, cursor: number | null = null): readonly number[] {
    this.#note(handedLine(seqs, by, cursor));
    this.#mail.hand(seqs, by, cursor);
    return seqs.filter((seq) => this.#mail.isRepeated(seq));
  }

  /** This cannot go to the agent as it listens now; it waits aside until a process begins to listen. */
  setAside(seq: number): void {
    this.#mail.setAside(seq);
  }

  /** The agent has done with these, or nobody waits for that; gives those that were still there. */
  finish(seqs: readonly number[], end: 'acked' | 'done'): readonly number[] {
    return this.#finish(seqs, end);
  }

  /** Makes the file again that somebody removed or replaced. Throws when the disk refuses. */
  mend(): void {
    if (!this.#file.isInPlace()) {
      this.#rewrite();
    }
  }

  close(): void {
    this.#file.close();
  }

  #finish(seqs: readonly number[], end: MailEnd): readonly number[] {
    const bytes = bytesOf(seqs.flatMap((seq) => this.#mail.placeOf(seq) ?? []));
    const found = this.#mail.finish(seqs, end);
    if (found.length > 0) {
      this.#usedBytes -= bytes;
      this.#note({ ended: found, how: end });
    }
    return found;
  }

  #mailAt(seq: number): readonly SpooledMail[] {
    const message = this.#messageOf(seq);
    return message === null ? [] : [{ seq, message, redelivered: this.#mail.isRepeated(seq) }];
  }

  #messageOf(seq: number): Message | null {
    const place = this.#mail.placeOf(seq);
    const line = place === null ? null : this.#lineAt(place);
    return line !== null && 'to' in line ? line.to : null;
  }

  #acceptedAt(number: number, place: Place): readonly AcceptedMessage[] {
    const line = this.#lineAt(place);
    return line !== null && 'from' in line ? [acceptedOf(number, line)] : [];
  }

  #lineAt(place: Place): SpoolLine | null {
    return this.#fresh.get(place.at) ?? readSpoolLine(this.#file.read(place));
  }

  #addLines<T extends SpoolLine>(lines: readonly T[], onPlaced: (line: T, place: Place) => void): void {
    const texts = lines.map(textOf);
    let at = this.#file.append(this.#owed + texts.join('')) + Buffer.byteLength(this.#owed);
    this.#owed = '';
    lines.forEach((line, index) => {
      const place = { at, bytes: Buffer.byteLength(texts[index] ?? '') };
      at += place.bytes;
      this.#usedBytes += place.bytes;
      if (place.bytes <= FRESH_BYTES) {
        this.#fresh.set(place.at, line);
      }
      onPlaced(line, place);
    });
  }

  #note(line: SpoolLine): void {
    this.#owed += textOf(line);
    try {
      this.#file.append(this.#owed);
      this.#owed = '';
      this.#tidy();
    } catch {
      // A full disk: it goes with what is written next.
    }
  }

  #tidy(): void {
    const waste = this.#file.size - this.#usedBytes;
    if (waste > this.#rewriteAt && waste > this.#usedBytes) {
      // Where the disk has no room for that it is not tried again at every line.
      this.#rewriteAt = waste + WASTE_BYTES;
      this.#rewrite();
      this.#rewriteAt = WASTE_BYTES;
    }
  }

  #rewrite(): void {
    const left = this.#mail.left();
    const sent = this.#sent.places;
    const head: SpoolHead = { spool: 1, first: this.#sent.first, ...this.#mail.past, runs: this.#sent.runs };
    const handed = left.flatMap(({ seq, by, cursor }) => (by === null ? [] : textOf(handedLine([seq], by, cursor))));
    const lines = [...sent, ...left.map(({ place }) => place)];
    const places = this.#file.rewrite({ head: textOf(head), lines, tail: handed.join('') });
    this.#fresh = new RecentMap(FRESH_LINES);
    this.#sent.move(places.slice(0, sent.length));
    this.#mail.move(places.slice(sent.length));
    this.#owed = '';
  }

  #replay(line: SpoolLine, place: Place): void {
    if ('from' in line) {
      this.#sent.add(place, line.run, line.n);
      this.#usedBytes += place.bytes;
    } else if ('to' in line) {
      this.#mail.add(line.seq, place, isCallAnswer(line.to));
      this.#usedBytes += place.bytes;
    } else if ('taken' in line) {
      this.#usedBytes -= bytesOf(this.#sent.take(line.taken));
    } else if ('shift' in line) {
      this.#sent.shift(line.shift);
    } else if ('handed' in line) {
      this.#mail.hand(line.handed, line.by, line.cursor ?? null);
    } else if ('spool' in line) {
      this.#sent.remember(line.first, line.runs);
      this.#mail.remember(line);
    } else {
      this.#usedBytes -= bytesOf(line.ended.flatMap((seq) => this.#mail.placeOf(seq) ?? []));
      this.#mail.finish(line.ended, line.how);
    }
  }
}

function handedLine(handed: readonly number[], by: string, cursor: number | null): SpoolLine {
  return { handed, by, ...(cursor === null ? {} : { cursor }) };
}

function bytesOf(places: readonly Place[]): number {
  return places.reduce((sum, { bytes }) => sum + bytes, 0);
}

function textOf(line: SpoolLine): string {
  return `${JSON.stringify(line)}\n`;
}
