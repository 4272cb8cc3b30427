import type { Writable } from 'node:stream';
import { claudeInterruptLine, type EngineAnswer, claudeAnswerLine } from '../../core/protocol/engines/claudeControl';

const INTERRUPT_ID = 'rollcall-stop';

/** The stdin of a program that can be answered and interrupted on it; closed where it is not ours, or no longer open. */
export class EngineInput {
  #stream: Writable | null = null;

  /** From now on what is said goes here. */
  open(stream: Writable): void {
    this.#stream = stream;
    // A program that has ended reads no more, and its end is told elsewhere.
    stream.on('error', () => {
      this.#stream = null;
    });
  }

  get isOpen(): boolean {
    return this.#stream?.writable === true;
  }

  answer(requestId: string, answer: EngineAnswer): void {
    this.#stream?.write(claudeAnswerLine(requestId, answer));
  }

  interrupt(): void {
    this.#stream?.write(claudeInterruptLine(INTERRUPT_ID));
  }

  /** The program ends once its turn has ended and nobody can say anything more. */
  close(): void {
    this.#stream?.end();
    this.#stream = null;
  }
}
