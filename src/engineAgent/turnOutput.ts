import type { EngineEvent } from '../core/protocol/engines/engineEvent';
import { type EngineFacts, foldEngineLine, noEngineFacts } from '../core/protocol/engines/engineFacts';
import { EngineLines } from '../core/protocol/engines/engineLines';
import { engineLogText } from '../core/protocol/engines/engineLogText';
import type { EngineStreamName } from '../core/protocol/engines/engineOrder';
import { engineStream } from '../core/protocol/engines/engineStreams';
import { withoutSecrets } from '../core/system/withoutSecrets';

/** An answer is read up to so many bytes: lines of JSON in it must be whole. */
const ANSWER_BYTES = 64 * 1024;

/** What an engine's program says in one turn, its secrets taken out. */
export class TurnOutput {
  readonly #stream: EngineStreamName;
  readonly #secrets: readonly string[];
  readonly #print: (text: string) => void;
  readonly #lines = new EngineLines({ stringBytes: ANSWER_BYTES });
  #facts: EngineFacts = noEngineFacts;
  #answer: readonly string[] = [];

  /** `print` gets what a person may read of it. */
  constructor(stream: EngineStreamName, secrets: readonly string[], print: (text: string) => void) {
    this.#stream = stream;
    this.#secrets = secrets;
    this.#print = print;
  }

  get facts(): EngineFacts {
    return this.#facts;
  }

  /** What the model said behind its last use of a tool. */
  get answer(): string {
    return this.#answer.join('\n');
  }

  take(piece: Uint8Array): void {
    this.#lines.push(piece).forEach((line) => {
      this.#read(line);
    });
  }

  end(): void {
    const last = this.#lines.end();
    if (last !== null) {
      this.#read(last);
    }
  }

  #read(line: string | null): void {
    const events = line === null ? [{ kind: 'unknown' } as const] : engineStream(this.#stream)(line);
    const shown = events.map((event) => withoutSecrets(event, this.#secrets));
    this.#facts = foldEngineLine(this.#facts, shown);
    this.#answer = shown.reduce(answerAfter, this.#answer);
    const text = engineLogText(line, shown);
    if (text !== null) {
      this.#print(text);
    }
  }
}

function answerAfter(answer: readonly string[], event: EngineEvent): readonly string[] {
  switch (event.kind) {
    case 'text':
      return [...answer, event.text];
    case 'toolStarted':
    case 'toolFinished':
      return [];
    default:
      return answer;
  }
}
