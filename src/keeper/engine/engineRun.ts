import type { Writable } from 'node:stream';
import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';
import {
  type AnswerRecord,
  BY_TIME_OUT,
  engineUsage,
  type EngineRecord,
  type RequestAnswer,
} from '../../core/protocol/engines/keptEngine';
import type { ExitEvidence } from '../../core/protocol/keeper/exitClass';
import type { ExitVerdict } from '../paperwork';
import type { Tree } from '../startProcess';
import { EngineInput } from './engineInput';
import { EngineOutput } from './engineOutput';
import { engineVerdict } from './engineVerdict';
import { removeLeavings } from '../../core/system/leavings';
import { OpenRequests } from './openRequests';
import { type StartWatchOptions, watchStart } from './startWatch';

export interface EngineRunOptions {
  readonly record: EngineRecord;
  readonly clock: Clock;
  readonly secrets: readonly string[];
  /** An earlier start of this worker hung: another one would hang too. */
  readonly hungBefore: boolean;
  /** The record is another one; `isUrgent` when a person waits for it. */
  readonly onChange: (isUrgent: boolean) => void;
  /** An answer was given: the program is about to go on. */
  readonly onAnswered: () => void;
  /** A line for the person who reads the log. */
  readonly note: (text: string) => void;
}

/** One run of a program that asks a model: what it says, what it asks a person, and how it is interrupted and judged. */
export class EngineRun implements Disposable {
  readonly #options: EngineRunOptions;
  readonly #input = new EngineInput();
  readonly #requests: OpenRequests;
  readonly output: EngineOutput;
  #startWatch: Disposable | null = null;
  #isHung = false;

  constructor(options: EngineRunOptions) {
    const { record, clock, secrets, onChange } = options;
    this.#options = options;
    this.output = new EngineOutput({
      stream: record.order.stream,
      facts: record.facts,
      secrets,
      onNews: (asked) => {
        this.#requests.follow(asked, this.output.facts.asked);
        this.#closeAtEnd();
        onChange(asked.length > 0);
      },
    });
    this.#requests = new OpenRequests({
      clock,
      answerMs: record.order.answerMs,
      input: this.#input,
      secrets,
      answers: record.answers,
      onAnswered: (answer) => {
        this.#answered(answer);
      },
    });
  }

  get record(): EngineRecord {
    const { order, earlier, absent } = this.#options.record;
    return { order, facts: this.output.facts, ...this.#requests.record, earlier, absent };
  }

  /** What all starts of its worker spent so far, US dollars; null where that is unknown, or no news because it has come to its end. */
  get spentUsd(): number | null {
    return this.output.facts.end === null ? engineUsage(this.record).costUsd : null;
  }

  /** Its stdin, which stays open for answers until its turn has ended. */
  openInput(stream: Writable): void {
    this.#input.open(stream);
    this.#closeAtEnd();
  }

  /** It runs now. `end` ends it without anybody's request. */
  watchStart(watched: Pick<StartWatchOptions, 'folder' | 'startedAt' | 'outputBytes'>, end: () => void): void {
    const { clock, note, record } = this.#options;
    const { startMs } = record.order;
    if (startMs !== null) {
      const onHung = (): void => {
        this.#isHung = true;
        note(`It is being ended, because ${hungText(startMs)}.`);
        end();
      };
      this.#startWatch = watchStart({ ...watched, clock, startMs, onHung });
    }
  }

  /** Throws a `ControlError` where the program does not wait for this answer. */
  answer(given: RequestAnswer): AnswerRecord {
    return this.#requests.answer(given);
  }

  /** The polite request, in the program's own way. */
  async interrupt(tree: Tree): Promise<void> {
    if (this.#input.isOpen) {
      this.#input.interrupt();
      return;
    }
    const { signal, group } = this.#options.record.order.interrupt;
    await tree.interrupt(signal, group);
  }

  /** How it ended; all of its output was read. */
  async judge(evidence: ExitEvidence): Promise<ExitVerdict> {
    const { secrets, record, hungBefore } = this.#options;
    if (this.#isHung && !evidence.stopRequested) {
      const again = hungBefore ? {} : { transient: true as const };
      return { class: 'never started', reason: hungText(record.order.startMs ?? 0), ...again };
    }
    return await engineVerdict(evidence, { facts: this.output.facts, order: record.order, secrets });
  }

  /** Nobody of it is left: takes away what it left behind. */
  async cleanUp(): Promise<void> {
    this.dispose();
    await removeLeavings(this.#options.record.absent);
  }

  dispose(): void {
    this.#startWatch?.dispose();
    this.#requests.dispose();
    this.#input.close();
  }

  #answered({ requestId, tool, allow, by }: AnswerRecord): void {
    this.output.answered(requestId);
    const word = allow ? 'allowed' : by === BY_TIME_OUT ? 'denied, because nobody answered in time' : 'denied';
    this.#options.note(`${tool}: ${word}${by === BY_TIME_OUT ? '' : ` (${by})`}.`);
    this.#options.onChange(true);
    this.#options.onAnswered();
  }

  /** A program whose stdin is open waits for another turn; there is none. */
  #closeAtEnd(): void {
    const { end, failure } = this.output.facts;
    if (end !== null || failure !== null) {
      this.#input.close();
    }
  }
}

function hungText(startMs: number): string {
  return `it gave no sign of itself within ${String(startMs / 1000)} s of its start`;
}
