import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';

export interface StartWatchOptions {
  readonly clock: Clock;
  /** The worker's folder. */
  readonly folder: string;
  /** When it was started, epoch milliseconds. */
  readonly startedAt: number;
  /** From the start to the verdict, milliseconds. */
  readonly startMs: number;
  /** Bytes of its output so far. */
  readonly outputBytes: () => number;
  /** Called once where there was no byte, file or status of its own. */
  readonly onHung: () => void;
}

/** Looks once, when its time is over, whether a program has given any sign of itself since its start (lifecycle §4). */
export function watchStart(options: StartWatchOptions): Disposable {
  const { clock, startedAt, startMs, outputBytes, onHung } = options;
  return clock.schedule(Math.max(0, startedAt + startMs - clock.now()), () => {
    if (outputBytes() === 0) {
      void hasFiles(options).then((has) => {
        if (!has && outputBytes() === 0) {
          onHung();
        }
      });
    }
  });
}

async function hasFiles({ folder, startedAt }: StartWatchOptions): Promise<boolean> {
  const output = await readdir(join(folder, 'output')).catch(() => []);
  const status = await stat(join(folder, 'status.json')).catch(() => null);
  // The keeper's own first one is older than the start.
  return output.length > 0 || (status !== null && status.mtimeMs > startedAt);
}
