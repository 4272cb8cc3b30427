import { join } from 'node:path';
import type { Clock } from '../base/clock';
import type { RandomHex } from '../base/randomId';
import { fail, ok, type Result } from '../base/result';
import {
  formatQueueDocument,
  QUEUE_MAX_BYTES,
  type QueuedStart,
  readQueueDocument,
} from '../protocol/workers/queueDocument';
import { writeFileAtomic } from '../system/atomicFile';
import { readBounded } from '../system/boundedRead';
import { withFileLock } from '../system/fileLock';
import { type RegistryRefusal, refusalOf } from './registryRefusal';

const LOCK_WAIT_MS = 5_000;

export interface QueueFileOptions {
  readonly workersDir: string;
  readonly clock: Clock;
  readonly randomHex: RandomHex;
}

/** `queue.json` beside the registry: starts that wait for a free slot, visible to everybody, changed under its lock. */
export interface QueueFile {
  /** Oldest first; empty where there is no such file or it is not ours. */
  read(): Promise<readonly QueuedStart[]>;
  /** Gives what `change` made of the queue. The file is written only where that differs. */
  update(
    change: (queue: readonly QueuedStart[]) => readonly QueuedStart[],
  ): Promise<Result<readonly QueuedStart[], RegistryRefusal>>;
}

/** Opens the queue of a workers folder. Touches no file. */
export function openQueueFile({ workersDir, clock, randomHex }: QueueFileOptions): QueueFile {
  const path = join(workersDir, 'queue.json');
  const read = async (): Promise<readonly QueuedStart[]> => {
    const file = await readBounded(path, QUEUE_MAX_BYTES);
    return file.kind === 'ok' ? readQueueDocument(file.text) : [];
  };
  return {
    read,
    update: async (change) => {
      try {
        const lock = { clock, randomHex, waitMs: LOCK_WAIT_MS };
        return await withFileLock(
          `${path}.lock`,
          async () => {
            const before = await read();
            const after = change(before);
            if (after !== before) {
              await writeFileAtomic(path, formatQueueDocument(after), { fsync: true });
            }
            return ok(after);
          },
          lock,
        );
      } catch (error) {
        return fail(refusalOf(error, 'change the queue', path));
      }
    },
  };
}
