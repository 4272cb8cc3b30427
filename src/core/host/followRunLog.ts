import type { Clock } from '../base/clock';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Logger } from '../base/logger';
import { runLogFiles, type RunLogKind, type RunLogRequest } from '../readers/features/runFiles';
import { lastLines } from '../readers/lastLines';
import { tailFile } from '../readers/tailFile';

/** A piece of one of the logs of a run's worker. `reset` tells that what came before is no longer in that file. */
export interface RunLogChunk {
  readonly kind: RunLogKind;
  /** Absolute path of the file that it is from. */
  readonly file: string;
  readonly text: string;
  readonly reset: boolean;
}

export interface FollowRunLogOptions {
  readonly root: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tailBytes: number;
}

const LOOK_MS = 200;
/** So much is told of an event log as it was before its last turn. */
const LINES_BEFORE = 100;

/**
 * Follows all logs of a run's worker, each from its last `tailBytes`, until disposed; those to come are waited for. Before
 * an event log come the last lines of the one that it took the place of.
 */
export function followRunLog(
  request: RunLogRequest,
  { root, clock, logger, tailBytes }: FollowRunLogOptions,
  listener: (chunk: RunLogChunk) => void,
): Disposable {
  const tails = new DisposableStore();
  let ended = false;
  tails.add(
    toDisposable(() => {
      ended = true;
    }),
  );
  const begin = async (): Promise<void> => {
    for (const { kind, path } of await runLogFiles(root, request)) {
      const before = kind === 'events' ? await lastLines(`${path}.1`, LINES_BEFORE).catch(() => []) : [];
      if (before.length > 0 && !ended) {
        listener({ kind, file: `${path}.1`, text: `${before.join('\n')}\n`, reset: false });
      }
      const onChunk = ({ text, reset }: Pick<RunLogChunk, 'text' | 'reset'>): void => {
        listener({ kind, file: path, text, reset });
      };
      tails.add(tailFile({ path, tailBytes, clock, intervalMs: LOOK_MS, onChunk }));
    }
  };
  begin().catch((error: unknown) => {
    logger.error('The logs of a feature run cannot be followed.', { reason: errorText(error) });
  });
  return tails;
}
