import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Room for a text to grow in its file, bytes, so that a full disk cannot cut it. */
const ROOM_BYTES = 8 * 1024;

/** The text with room to grow behind it, for a file whose texts replace each other by `overwriteFile`. */
export function withRoom(text: string): string {
  return padded(text, Buffer.byteLength(text) + ROOM_BYTES);
}

/**
 * Replaces the text inside the same file with one write; spaces fill what is left of it. For files that a sandbox
 * protects: its protection lies on the file itself and would be gone with a rename. A reader can, very seldom, see a mix
 * of both texts, and reads again. Rejects when the file is not there, is a link, or the disk refuses.
 */
export async function overwriteFile(path: string, text: string, options: { readonly fsync: boolean }): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const bytes = Buffer.from(padded(text, (await file.stat()).size));
    await file.write(bytes, 0, bytes.length, 0);
    if (options.fsync) {
      await file.sync();
    }
  } finally {
    await file.close();
  }
}

function padded(text: string, bytes: number): string {
  return `${text.trimEnd()}${' '.repeat(Math.max(0, bytes - Buffer.byteLength(text.trimEnd()) - 1))}\n`;
}
