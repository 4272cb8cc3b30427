import { closeSync, constants, fstatSync, open, read, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode } from '../base/errorText';

/** The outcome of one careful look into a file that strangers write. */
export type BoundedText =
  | {
      readonly kind: 'ok';
      readonly text: string;
      readonly mtimeMs: number;
      readonly size: number;
      readonly ino: number;
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'too-large'; readonly size: number }
  /** A folder, link, pipe, socket or device. */
  | { readonly kind: 'not-a-file' }
  | { readonly kind: 'unreadable'; readonly code: string };

// A thousand small files are read at every refresh, and a bare descriptor costs half of what a FileHandle does. What can
// wait for a disk or a network, the open and the read, is left to other threads; the rest is known by then.
const openFile = promisify(open);

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
const FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
/** How much a file may grow between the look at its size and the end of the reading. */
const GROWTH_BYTES = 512;
/** Windows has none of these flags, they count as 0 there; then a look before the open is the guard. */
const OPENS_BLINDLY = process.platform === 'win32';

/** Reads a regular file of at most `maxBytes` bytes as UTF-8. Never follows a link, never blocks on a pipe or device. */
export async function readBounded(path: string, maxBytes: number): Promise<BoundedText> {
  try {
    if (OPENS_BLINDLY && !(await lstat(path)).isFile()) {
      return { kind: 'not-a-file' };
    }
    const file = await openFile(path, FLAGS);
    try {
      return await readOpen(file, fstatSync(file), maxBytes);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return kindOfError(errorCode(error) ?? 'UNKNOWN');
  }
}

async function readOpen(file: number, stat: Stats, maxBytes: number): Promise<BoundedText> {
  if (!stat.isFile()) {
    return { kind: 'not-a-file' };
  }
  if (stat.size > maxBytes) {
    return { kind: 'too-large', size: stat.size };
  }
  // More than it has and one byte more than allowed, so that a file that grows meanwhile is noticed. Not much more:
  // what is well below 4 KiB comes from Node's pool and costs no allocation.
  const buffer = Buffer.allocUnsafe(Math.min(maxBytes, stat.size + GROWTH_BYTES) + 1);
  const length = await fill(file, buffer, stat.size);
  return length > maxBytes
    ? { kind: 'too-large', size: length }
    : { kind: 'ok', text: buffer.toString('utf8', 0, length), mtimeMs: stat.mtimeMs, size: length, ino: stat.ino };
}

/** Reads to the end of the file or of the buffer, and gives the number of bytes; `size` is what the file had before. */
async function fill(file: number, buffer: Buffer, size: number): Promise<number> {
  let length = 0;
  for (let bytes = 1; bytes > 0 && length < buffer.length; ) {
    bytes = await readInto(file, buffer, length);
    length += bytes;
    if (length === size) {
      // More was asked for than that, so the file ends here.
      break;
    }
  }
  return length;
}

async function readInto(file: number, buffer: Buffer, at: number): Promise<number> {
  return await new Promise((resolve, reject) => {
    read(file, buffer, at, buffer.length - at, at, (error, bytes) => {
      if (error === null) {
        resolve(bytes);
      } else {
        reject(error);
      }
    });
  });
}

function kindOfError(code: string): BoundedText {
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return { kind: 'absent' };
  }
  // ENXIO: a socket, or a device without hardware behind it.
  return code === 'ELOOP' || code === 'ENXIO' ? { kind: 'not-a-file' } : { kind: 'unreadable', code };
}
