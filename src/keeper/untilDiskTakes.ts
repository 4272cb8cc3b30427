import { existsSync } from 'node:fs';
import { delay, type Clock } from '../core/base/clock';

const RETRY_MS = 1000;

/**
 * Repeats a write every second until it says that it succeeded, e.g. once a full disk has room again. Gives up only
 * when the folder is gone: then nobody is left to read it.
 */
export async function untilDiskTakes(folder: string, clock: Clock, write: () => Promise<boolean>): Promise<void> {
  while (!(await write()) && existsSync(folder)) {
    await delay(clock, RETRY_MS);
  }
}
