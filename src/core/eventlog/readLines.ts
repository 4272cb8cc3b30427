import type { FileHandle } from 'node:fs/promises';

const NEWLINE = 10;
const BYTE_ORDER_MARK = '\uFEFF';

export interface ReadLinesOptions {
  /** Where to begin, bytes; the begin of a line. */
  readonly from: number;
  /** A longer line comes in pieces. */
  readonly lineBytes: number;
}

/** What is read at once: little where little is new, and never more than this unless a line is longer. */
const LEAST_BYTES = 64 * 1024;
const MOST_BYTES = 1024 * 1024;

/**
 * Gives every complete line of a file, without its end. What stands behind the last newline is still being written, or
 * torn, and is left out. Gives the place behind the last newline, in bytes from the file's begin.
 */
export async function readLines(
  file: FileHandle,
  { from, lineBytes }: ReadLinesOptions,
  onLine: (line: string) => void,
): Promise<number> {
  let block: Buffer = Buffer.allocUnsafe(await firstBlockBytes(file, from, lineBytes));
  let kept = 0;
  let position = from;
  let whole = from;
  for (;;) {
    const { bytesRead } = await file.read(block, kept, block.length - kept, position + kept);
    if (bytesRead === 0) {
      return whole;
    }
    const filled = kept + bytesRead;
    const newline = block.lastIndexOf(NEWLINE, filled - 1);
    // Without any newline in so many bytes this is no line of ours: it goes as a piece that nobody understands.
    const end = newline >= 0 ? newline + 1 : filled > lineBytes ? filled : 0;
    if (end > 0) {
      eachLine(block.toString('utf8', 0, end), onLine);
    }
    kept = filled - end;
    position += end;
    whole = newline >= 0 ? position : whole;
    block = withRoom(block, end, filled);
  }
}

async function firstBlockBytes(file: FileHandle, from: number, lineBytes: number): Promise<number> {
  const { size } = await file.stat();
  return Math.min(Math.max(size - from, LEAST_BYTES), Math.min(lineBytes, MOST_BYTES)) + 1;
}

/** A block that begins with what is kept of this one, and has room behind it. */
function withRoom(block: Buffer, end: number, filled: number): Buffer {
  const kept = filled - end;
  const next = kept * 2 > block.length ? Buffer.allocUnsafe(block.length * 2) : block;
  block.copy(next, 0, end, filled);
  return next;
}

function eachLine(text: string, onLine: (line: string) => void): void {
  let from = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  for (let end = text.indexOf('\n', from); end !== -1; end = text.indexOf('\n', from)) {
    onLine(text.slice(from, end));
    from = end + 1;
  }
  if (from < text.length) {
    onLine(text.slice(from));
  }
}
