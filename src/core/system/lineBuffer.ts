/** Longest line of an agent, in bytes (actors.md §2). */
export const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Cuts a byte stream into lines, whatever the pieces are that it arrives in. A line that is too long is given as null as
 * soon as that is known, and dropped to its end.
 */
export class LineBuffer {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isDropping = false;

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this piece completes, without their ends; null stands for one that is too long. */
  push(piece: Buffer): readonly (string | null)[] {
    const lines: (string | null)[] = [];
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      if (this.#bytes === 0 && !this.#isDropping && end - from <= this.#maxBytes) {
        lines.push(piece.toString('utf8', from, end));
      } else {
        this.#keep(piece.subarray(from, end), lines);
        this.#endLine(lines);
      }
      from = end + 1;
    }
    this.#keep(piece.subarray(from), lines);
    return lines;
  }

  #keep(piece: Buffer, lines: (string | null)[]): void {
    if (piece.length === 0 || this.#isDropping) {
      return;
    }
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) {
      lines.push(null);
      this.#isDropping = true;
      this.#forget();
    }
  }

  #endLine(lines: (string | null)[]): void {
    if (!this.#isDropping) {
      lines.push(Buffer.concat(this.#pieces, this.#bytes).toString('utf8'));
      this.#forget();
    }
    this.#isDropping = false;
  }

  #forget(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }
}
