import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** An id that is a file name and nothing else. */
const PLAIN_ID = /^[\w-]{8,80}$/;

/**
 * The last `maxBytes` of the file that a program keeps of a session: `<anything><session id>.jsonl` somewhere below
 * `folder`, which has folders of years, months and days. Null where there is none, or it cannot be read.
 */
export async function readSessionTail(
  folder: string,
  sessionId: string,
  maxBytes = 256 * 1024,
): Promise<string | null> {
  if (!PLAIN_ID.test(sessionId)) {
    return null;
  }
  try {
    const path = await newestBelow(folder, `${sessionId}.jsonl`, 3);
    return path === null ? null : await tailOf(path, maxBytes);
  } catch {
    // The program keeps no such files, or another than it used to: then they say nothing.
    return null;
  }
}

/** Looks where the latest day is first, so that years of sessions cost no more than one. */
async function newestBelow(folder: string, ending: string, depth: number): Promise<string | null> {
  const entries = await readdir(folder, { withFileTypes: true });
  const file = entries.find((entry) => entry.isFile() && entry.name.endsWith(ending));
  if (file !== undefined) {
    return join(folder, file.name);
  }
  const folders = entries.filter((entry) => depth > 0 && entry.isDirectory()).map((entry) => entry.name);
  for (const name of folders.sort().reverse()) {
    const found = await newestBelow(join(folder, name), ending, depth - 1);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

async function tailOf(path: string, maxBytes: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}
