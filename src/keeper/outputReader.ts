import { secretLines } from '../core/system/redact';
import { type ReadablePiece, takeReadable } from './readableText';

/** Turns a worker's output into what its readable log says of it. */
export interface OutputReader {
  /** Bytes that were taken and whose line has not ended: who goes on elsewhere starts so many earlier. */
  readonly openBytes: number;
  /** Takes what it can use of the bytes behind those taken before; `atEnd`: nothing follows them. */
  take(raw: Buffer, atEnd: boolean): ReadablePiece;
  /** What the last piece said is in the log. */
  keep(): void;
  /** The log refused it, or bytes were lost: forgets the last piece and the line that is open. */
  drop(): void;
}

/** Output that any program wrote: the log says it as it stands, without what cannot be shown. */
export class PlainOutput implements OutputReader {
  readonly openBytes = 0;
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#secrets = secretLines(secrets);
  }

  take(raw: Buffer, atEnd: boolean): ReadablePiece {
    return takeReadable(raw, this.#secrets, atEnd);
  }

  keep(): void {
    // Nothing is remembered between two pieces.
  }

  drop(): void {
    // Nothing is remembered between two pieces.
  }
}
