import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../core/base/errorText';

/** More of a log than this is for an editor, not for a terminal. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The end of a log file. */
export interface LogText {
  readonly text: string;
  /** Where `text` begins in the file, bytes. */
  readonly offset: number;
}

/** Reads the last `lines` lines of a log, or all of it for null; null when there is no such regular file. */
export async function readLog(path: string, lines: number | null): Promise<LogText | null> {
  const file = await openRegular(path);
  if (file === null) {
    return null;
  }
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - MAX_BYTES);
    const buffer = Buffer.alloc(size - from);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    const bytes = buffer.subarray(0, bytesRead);
    const start = lines === null ? 0 : startOfLastLines(bytes, lines);
    return { text: bytes.toString('utf8', start), offset: from + start };
  } finally {
    await file.close();
  }
}

/** The size of a log, bytes; 0 when there is no such regular file. */
export async function logSize(path: string): Promise<number> {
  const file = await openRegular(path);
  const size = (await file?.stat())?.size ?? 0;
  await file?.close();
  return size;
}

/** Where the last `lines` lines begin. A last line without its newline counts. */
export function startOfLastLines(bytes: Buffer, lines: number): number {
  if (lines === 0) {
    return bytes.length;
  }
  let end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
  for (let found = 0; found < lines; found += 1) {
    const newline = end === 0 ? -1 : bytes.lastIndexOf(0x0a, end - 1);
    if (newline === -1) {
      return 0;
    }
    end = newline;
  }
  return end + 1;
}

async function openRegular(path: string): Promise<FileHandle | null> {
  try {
    // Neither a link nor a pipe that blocks: the folder belongs to a worker. Where a flag is unknown it counts as 0.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) {
      return file;
    }
    await file.close();
    return null;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) {
      return null;
    }
    throw error;
  }
}
