import { ftruncateSync, writeSync } from 'node:fs';

/**
 * Adds bytes at the end of a file that has `sizeBefore` bytes: all or nothing. What a full disk took of them is taken back.
 * Throws the system's error.
 */
export function writeWhole(fd: number, bytes: Buffer, sizeBefore: number): void {
  let written = 0;
  try {
    while (written < bytes.length) {
      written += writeSync(fd, bytes, written);
    }
  } catch (error) {
    if (written > 0) {
      ftruncateSync(fd, sizeBefore);
    }
    throw error;
  }
}
