import type { EngineEvent } from '../../core/protocol/engines/engineEvent';
import { answeredRequest, type EngineFacts, foldEngineLine } from '../../core/protocol/engines/engineFacts';
import { EngineLines } from '../../core/protocol/engines/engineLines';
import { engineLogText } from '../../core/protocol/engines/engineLogText';
import type { EngineStreamName } from '../../core/protocol/engines/engineOrder';
import { engineStream } from '../../core/protocol/engines/engineStreams';
import type { OutputReader } from '../outputReader';
import { type ReadablePiece, readableText } from '../readableText';
import { secretLines } from '../../core/system/redact';
import { withoutSecrets } from '../../core/system/withoutSecrets';

/** A request as the program made it, with its secrets. */
export type AskedEvent = Extract<EngineEvent, { kind: 'asked' }>;

export interface EngineOutputOptions {
  readonly stream: EngineStreamName;
  readonly facts: EngineFacts;
  readonly secrets: readonly string[];
  /** Called once new lines are in the log, with what they ask a person. */
  readonly onNews: (asked: readonly AskedEvent[]) => void;
}

/** Output of a program that asks a model: typed lines, summed up in facts, and told in the log in a readable way. */
export class EngineOutput implements OutputReader {
  readonly #options: EngineOutputOptions;
  readonly #secrets: readonly string[];
  readonly #answered = new Set<string>();
  #lines = new EngineLines();
  #facts: EngineFacts;
  /** The facts with the last piece, while that is not yet in the log. */
  #nextFacts: EngineFacts;
  #asked: AskedEvent[] = [];

  constructor(options: EngineOutputOptions) {
    this.#options = options;
    this.#secrets = secretLines(options.secrets);
    this.#facts = options.facts;
    this.#nextFacts = options.facts;
  }

  get openBytes(): number {
    return this.#lines.openBytes;
  }

  /** What is known from the lines that are in the log. */
  get facts(): EngineFacts {
    return this.#facts;
  }

  take(raw: Buffer, atEnd: boolean): ReadablePiece {
    const whole = this.#lines.push(raw);
    const rest = atEnd ? this.#lines.end() : null;
    const texts = (rest === null ? whole : [...whole, rest]).map((line) => this.#read(line));
    return { bytes: raw.length, text: texts.join('') };
  }

  keep(): void {
    if (this.#nextFacts !== this.#facts) {
      this.#facts = this.#nextFacts;
      this.#options.onNews(this.#asked.splice(0));
    }
  }

  drop(): void {
    this.#lines = new EngineLines();
    this.#nextFacts = this.#facts;
    this.#asked = [];
  }

  /** A request is no longer waiting, also where its line is read once more. */
  answered(requestId: string): void {
    this.#answered.add(requestId);
    this.#facts = answeredRequest(this.#facts, requestId);
    this.#nextFacts = answeredRequest(this.#nextFacts, requestId);
  }

  #read(line: string | null): string {
    const events = line === null ? [{ kind: 'unknown' } as const] : engineStream(this.#options.stream)(line);
    const shown = events.map((event) => withoutSecrets(event, this.#secrets));
    this.#nextFacts = this.#withoutAnswered(foldEngineLine(this.#nextFacts, shown));
    this.#asked.push(...events.filter((event) => event.kind === 'asked'));
    const text = engineLogText(line, shown);
    return text === null ? '' : `${readableText(text, this.#secrets)}\n`;
  }

  #withoutAnswered(facts: EngineFacts): EngineFacts {
    return facts.asked
      .filter((request) => this.#answered.has(request.requestId))
      .reduce((rest, { requestId }) => answeredRequest(rest, requestId), facts);
  }
}
