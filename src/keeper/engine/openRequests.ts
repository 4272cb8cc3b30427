import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';
import { answeredInput, askChoices, askText } from '../../core/protocol/engines/askText';
import type { EngineAnswer } from '../../core/protocol/engines/claudeControl';
import {
  type AnswerRecord,
  type AskRecord,
  BY_TIME_OUT,
  type EngineRecord,
  KEPT_ANSWERS,
  type RequestAnswer,
} from '../../core/protocol/engines/keptEngine';
import { shortText } from '../../core/protocol/engines/shortText';
import { ControlError } from '../../core/system/controlMessage';
import { redact } from '../../core/system/redact';
import type { EngineInput } from './engineInput';
import type { AskedEvent } from './engineOutput';
import { withoutSecrets } from '../../core/system/withoutSecrets';

export interface OpenRequestsOptions {
  readonly clock: Clock;
  readonly answerMs: number;
  readonly input: EngineInput;
  readonly secrets: readonly string[];
  /** What an earlier keeper had. */
  readonly answers: readonly AnswerRecord[];
  /** An answer was given, by whomever. */
  readonly onAnswered: (answer: AnswerRecord) => void;
}

interface OpenRequest {
  readonly event: AskedEvent;
  readonly ask: AskRecord;
  readonly timer: Disposable;
}

/** What a program waits for a person to answer. Who does not answer in time has denied it. */
export class OpenRequests implements Disposable {
  readonly #options: OpenRequestsOptions;
  readonly #open = new Map<string, OpenRequest>();
  #answers: readonly AnswerRecord[];

  constructor(options: OpenRequestsOptions) {
    this.#options = options;
    this.#answers = options.answers;
  }

  get record(): Pick<EngineRecord, 'asks' | 'answers'> {
    return { asks: [...this.#open.values()].map(({ ask }) => ask), answers: this.#answers };
  }

  /** Takes up what is new, and lets go of what the program no longer waits for. */
  follow(asked: readonly AskedEvent[], waiting: readonly { readonly requestId: string }[]): void {
    const ids = new Set(waiting.map(({ requestId }) => requestId));
    for (const event of asked) {
      // Without its stdin nobody can answer, and the program goes on by itself.
      if (this.#options.input.isOpen && ids.has(event.requestId) && !this.#open.has(event.requestId)) {
        this.#open.set(event.requestId, this.#opened(event));
      }
    }
    for (const requestId of this.#open.keys()) {
      if (!ids.has(requestId)) {
        this.#close(requestId);
      }
    }
  }

  /** Gives a person's answer to the program. Throws a `ControlError` where it does not wait for one. */
  answer(given: RequestAnswer): AnswerRecord {
    const request = this.#open.get(given.requestId);
    if (request === undefined) {
      const message = 'The program does not wait for this answer: it was answered or withdrawn. Look at the inbox.';
      throw new ControlError({ code: 'not-asked', message });
    }
    if (!this.#options.input.isOpen) {
      const message = 'The program reads no answers any more. Wait for its end, or stop it.';
      throw new ControlError({ code: 'no-input', message });
    }
    this.#options.input.answer(given.requestId, engineAnswer(request.event, given));
    return this.#note(request, given);
  }

  dispose(): void {
    for (const requestId of this.#open.keys()) {
      this.#close(requestId);
    }
  }

  #opened(event: AskedEvent): OpenRequest {
    const { clock, answerMs, secrets } = this.#options;
    const { requestId } = event;
    const shown = withoutSecrets(event, secrets) as AskedEvent;
    const ask: AskRecord = {
      requestId,
      isQuestion: event.isQuestion,
      tool: shortText(shown.tool),
      text: askText(shown),
      choices: askChoices(shown),
      since: new Date(clock.now()).toISOString(),
      until: new Date(clock.now() + answerMs).toISOString(),
    };
    const timer = clock.schedule(answerMs, () => {
      this.#timeOut(requestId);
    });
    return { event, ask, timer };
  }

  #timeOut(requestId: string): void {
    const request = this.#open.get(requestId);
    if (request !== undefined) {
      const given = { requestId, allow: false, text: TIME_OUT, by: BY_TIME_OUT };
      this.#options.input.answer(requestId, engineAnswer(request.event, given));
      this.#note(request, given);
    }
  }

  #note({ ask }: OpenRequest, given: RequestAnswer): AnswerRecord {
    const { clock, secrets, onAnswered } = this.#options;
    const answer: AnswerRecord = {
      ...given,
      by: shortText(given.by),
      text: given.text === null ? null : shortText(redact(given.text, secrets)),
      tool: ask.tool,
      at: new Date(clock.now()).toISOString(),
    };
    this.#close(given.requestId);
    this.#answers = [...this.#answers, answer].slice(-KEPT_ANSWERS);
    onAnswered(answer);
    return answer;
  }

  #close(requestId: string): void {
    this.#open.get(requestId)?.timer.dispose();
    this.#open.delete(requestId);
  }
}

const TIME_OUT = 'Nobody answered in time. Go on without it, or end here and say what is missing.';
const DENIED = 'The person does not allow it. Go on without it.';
const NOT_ANSWERED = 'The person does not answer. Go on as you think best.';

function engineAnswer({ isQuestion, input }: AskedEvent, { allow, text }: RequestAnswer): EngineAnswer {
  if (!allow) {
    return { allow: false, message: text ?? (isQuestion ? NOT_ANSWERED : DENIED) };
  }
  if (isQuestion) {
    return text === null ? { allow: false, message: NOT_ANSWERED } : { allow: true, input: answeredInput(input, text) };
  }
  return { allow: true, input };
}
