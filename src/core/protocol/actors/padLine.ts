import { asciiText } from '../events/asciiJson';

/** An existing agent's reader works in blocks of this many bytes and goes deaf after a shorter one (actors.md §2). */
const BLOCK_BYTES = 1024;

/** The longest line that every existing agent was seen to take. */
const MAX_BYTES = 64 * 1024;

/**
 * The one write that carries this line to an existing agent: spaces before the newline make its bytes a multiple of
 * 1,024. Null where that would be more than 64 KiB. ASCII only where there is room for it, else UTF-8.
 */
export function padLine(json: string): Uint8Array | null {
  return padded(asciiText(json)) ?? padded(json);
}

function padded(text: string): Uint8Array | null {
  const bytes = new TextEncoder().encode(text);
  const size = Math.ceil((bytes.length + 1) / BLOCK_BYTES) * BLOCK_BYTES;
  if (size > MAX_BYTES) {
    return null;
  }
  const line = new Uint8Array(size).fill(0x20);
  line.set(bytes);
  line[size - 1] = 0x0a;
  return line;
}
