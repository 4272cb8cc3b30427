const LINE_END = 10;
const QUOTE = 34;
const BACKSLASH = 92;
const LETTER_U = 117;
const CUT_MARK = new TextEncoder().encode('…');

interface LineBounds {
  /** Longer texts inside a line are cut to this. */
  readonly stringBytes: number;
  /** A line that is longer although its texts were cut is dropped. */
  readonly lineBytes: number;
  /** The same for a line whose texts are never cut. */
  readonly wholeLineBytes: number;
}

const MEGABYTE = 1024 * 1024;
const BOUNDS: LineBounds = { stringBytes: 4096, lineBytes: MEGABYTE, wholeLineBytes: 16 * MEGABYTE };

/** A request to a person: what is asked goes back to the program with the answer, so nothing of it may be missing. */
const WHOLE_LINE = /^\s*\{\s*"type"\s*:\s*"control_request"/;
const HEAD_BYTES = 64;

/**
 * Cuts an engine's output into lines of JSON, whatever the pieces are that it arrives in. Texts inside a line are cut to a
 * bounded length while it arrives, so that the end line of a run is read whole although a 50 MB answer stands in it, in
 * memory that does not grow with it. Every line that was JSON still is. Requests to a person are never cut.
 */
export class EngineLines {
  readonly #bounds: LineBounds;
  readonly #decoder = new TextDecoder();
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #openBytes = 0;
  #isTooLong = false;
  #inString = false;
  #isEscaped = false;
  /** Hexadecimal digits of an escape that are still to come. */
  #hexLeft = 0;
  #stringBytes = 0;
  #isCutting = false;
  /** Whether this line is kept whole; null while nothing had to be cut. */
  #isWhole: boolean | null = null;

  constructor(bounds: Partial<LineBounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /** Bytes since the last line end: who goes on elsewhere starts so many bytes earlier. */
  get openBytes(): number {
    return this.#openBytes;
  }

  /** The lines that this piece completes, without their ends; null stands for one that was too long. */
  push(piece: Uint8Array): readonly (string | null)[] {
    const lines: (string | null)[] = [];
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (byte === LINE_END) {
        this.#keep(piece, from, at);
        lines.push(this.#takeLine());
        from = at + 1;
      } else if (this.#inString) {
        from = this.#insideString(piece, from, at);
      } else if (byte === QUOTE) {
        this.#inString = true;
        this.#stringBytes = 0;
      }
    }
    this.#keep(piece, from, piece.length);
    this.#openBytes =
      lines.length > 0 ? piece.length - piece.lastIndexOf(LINE_END) - 1 : this.#openBytes + piece.length;
    return lines;
  }

  /** The last line where it has no end, or null where there is none. */
  end(): string | null {
    this.#openBytes = 0;
    return this.#keptBytes === 0 && !this.#isTooLong ? null : this.#takeLine();
  }

  /** Where what is to be kept of this piece begins, once the byte at `at` was looked at. */
  #insideString(piece: Uint8Array, from: number, at: number): number {
    const byte = piece[at] ?? 0;
    if (this.#mayCutAt(byte)) {
      this.#keep(piece, from, at);
      this.#isWhole ??= WHOLE_LINE.test(this.#head());
      this.#isCutting = !this.#isWhole;
      from = at;
    }
    this.#stringBytes += 1;
    if (this.#hexLeft > 0) {
      this.#hexLeft -= 1;
    } else if (this.#isEscaped) {
      this.#isEscaped = false;
      this.#hexLeft = byte === LETTER_U ? 4 : 0;
    } else if (byte === BACKSLASH) {
      this.#isEscaped = true;
    } else if (byte === QUOTE) {
      return this.#endString(from, at);
    }
    return from;
  }

  #endString(from: number, at: number): number {
    this.#inString = false;
    if (!this.#isCutting) {
      return from;
    }
    this.#isCutting = false;
    this.#add(CUT_MARK);
    return at;
  }

  /** Never inside an escape or a character of several bytes: what is kept must stay text. */
  #mayCutAt(byte: number): boolean {
    const isLong = this.#stringBytes >= this.#bounds.stringBytes && !this.#isCutting && this.#isWhole !== true;
    return isLong && !this.#isEscaped && this.#hexLeft === 0 && byte >> 6 !== 0b10 && byte !== QUOTE;
  }

  #keep(piece: Uint8Array, from: number, to: number): void {
    if (!this.#isCutting && to > from) {
      // A copy: who reads a file uses the same memory for the next piece, and a slice of Node's buffers is none.
      this.#add(new Uint8Array(piece.subarray(from, to)));
    }
  }

  #add(bytes: Uint8Array): void {
    if (this.#isTooLong) {
      return;
    }
    this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
    if (this.#keptBytes > (this.#isWhole === true ? this.#bounds.wholeLineBytes : this.#bounds.lineBytes)) {
      this.#isTooLong = true;
      this.#kept = [];
    }
  }

  #takeLine(): string | null {
    const line = this.#isTooLong ? null : this.#decoder.decode(joined(this.#kept, this.#keptBytes));
    this.#kept = [];
    this.#keptBytes = 0;
    this.#isTooLong = false;
    this.#inString = false;
    this.#isEscaped = false;
    this.#hexLeft = 0;
    this.#isCutting = false;
    this.#isWhole = null;
    return line;
  }

  #head(): string {
    return this.#decoder.decode(joined(this.#kept, this.#keptBytes).subarray(0, HEAD_BYTES));
  }
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
