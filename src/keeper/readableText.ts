import { redact } from '../core/system/redact';

/** A line longer than this goes into the log in pieces, so that memory stays flat. Bytes. */
export const MAX_LINE_PIECE = 16 * 1024;

/** How many bytes of the output are used up, and what they read as. */
export interface ReadablePiece {
  readonly bytes: number;
  readonly text: string;
}

const NEWLINE = 10;
const RETURN = 13;
const ESCAPE = 27;
/** An escape sequence that is cut in two is looked for this far back, bytes. */
const ESCAPE_REACH = 64;

// CSI, OSC and the other string sequences, two-character escapes; none of them goes over the end of a line.
const TERMINAL_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
// Control characters, and the marks that let text read in another order than it stands.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const NEEDS_CARE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

/**
 * Takes as many whole lines as `raw` holds and makes them readable. A rest without line end is left for later, unless
 * it is very long or `atEnd`. The texts of all pieces together do not depend on how the output was cut into `raw`s, so
 * that the next keeper can derive the same text again.
 */
export function takeReadable(raw: Buffer, secrets: readonly string[], atEnd: boolean): ReadablePiece {
  const bytes = pieceEnd(raw, secrets, atEnd);
  return { bytes, text: bytes === 0 ? '' : readableText(raw.toString('utf8', 0, bytes), secrets) };
}

/** Output as a person can read it: no terminal sequences or control characters, every line end `\n`, no secrets. */
export function readableText(text: string, secrets: readonly string[]): string {
  const plain = NEEDS_CARE.test(text)
    ? text.replace(/\r\n?/g, '\n').replace(TERMINAL_SEQUENCE, '').replace(CONTROL, '')
    : text;
  return redact(plain, secrets);
}

function pieceEnd(raw: Buffer, secrets: readonly string[], atEnd: boolean): number {
  if (atEnd) {
    return raw.length;
  }
  const lines = lastLineEnd(raw);
  if (lines > 0) {
    return lines;
  }
  return raw.length < MAX_LINE_PIECE + longest(secrets) ? 0 : safeCut(raw, secrets);
}

/** Behind the last line end. A return at the very end may be half of one, so it waits for the next byte. */
function lastLineEnd(raw: Buffer): number {
  const lastReturn = raw.length < 2 ? -1 : raw.lastIndexOf(RETURN, raw.length - 2);
  return Math.max(raw.lastIndexOf(NEWLINE), lastReturn) + 1;
}

/** A cut at `MAX_LINE_PIECE` or a little before, not inside a character, an escape sequence or a secret. */
function safeCut(raw: Buffer, secrets: readonly string[]): number {
  let cut = MAX_LINE_PIECE;
  const escape = raw.lastIndexOf(ESCAPE, cut - 1);
  if (escape > cut - ESCAPE_REACH) {
    cut = escape;
  }
  for (const secret of secrets.map((text) => Buffer.from(text))) {
    const start = raw.indexOf(secret, Math.max(0, cut - secret.length + 1));
    if (start !== -1 && start < cut) {
      cut = start;
    }
  }
  return characterStart(raw, cut);
}

function characterStart(raw: Buffer, cut: number): number {
  for (let back = 0; back < 4; back += 1) {
    if (((raw[cut - back] ?? 0) & 0xc0) !== 0x80) {
      return cut - back;
    }
  }
  // No valid UTF-8 here at all: any cut is as good.
  return cut;
}

function longest(secrets: readonly string[]): number {
  return Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)));
}
