import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorCode } from '../base/errorText';

/** As much of a log as the last lines are looked for in, bytes. */
const TAIL_BYTES = 128 * 1024;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The last `count` lines of a text file of any size; fewer where they are very long. None without such a regular file. */
export async function lastLines(path: string, count: number): Promise<readonly string[]> {
  const text = await tailOf(path);
  const lines = text.split('\n');
  if (lines.at(-1) === '') {
    lines.pop();
  }
  return lines.slice(-count);
}

async function tailOf(path: string): Promise<string> {
  const file = await open(path, FLAGS).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) {
      return null;
    }
    throw error;
  });
  if (file === null) {
    return '';
  }
  try {
    const stat = await file.stat();
    const from = stat.isFile() ? Math.max(0, stat.size - TAIL_BYTES) : 0;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
    const text = stat.isFile() ? buffer.toString('utf8', 0, bytesRead) : '';
    // What is cut in the middle begins with a part of a line, which is none.
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}
