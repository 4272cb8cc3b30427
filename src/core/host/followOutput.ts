import type { Clock } from '../base/clock';
import { type Disposable, toDisposable } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Logger } from '../base/logger';
import { readKeeperRecord } from '../protocol/keeper/readKeeperRecord';
import { connectKeeper, type KeeperClient } from '../supervisor/keeperClient';
import { readBounded } from '../system/boundedRead';

const RECORD_MAX_BYTES = 256 * 1024;
/** A keeper that is replaced by another one is back in about this time. */
const RETRY_MS = 2_000;

export interface FollowOptions {
  readonly keeperFile: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Asks a worker's keeper to look at the output more often while somebody follows it (lifecycle §1), until disposed.
 * Any process may ask; a keeper that was replaced is asked again. Without one the log only comes with more delay.
 */
export function followOutput(options: FollowOptions): Disposable {
  let ended = false;
  let client: KeeperClient | null = null;
  let timer: Disposable | null = null;
  const again = (): void => {
    timer = ended ? null : options.clock.schedule(RETRY_MS, ask);
  };
  const ask = (): void => {
    void openFollow(options).then((open) => {
      client = open;
      if (ended) {
        client?.dispose();
      }
      client?.onClose(again);
    });
  };
  ask();
  return toDisposable(() => {
    ended = true;
    timer?.dispose();
    client?.dispose();
  });
}

/** Null when the worker has no keeper any more, or none that answers. */
async function openFollow({ keeperFile, logger }: FollowOptions): Promise<KeeperClient | null> {
  const file = await readBounded(keeperFile, RECORD_MAX_BYTES);
  const record = file.kind === 'ok' ? readKeeperRecord(file.text) : null;
  if (record === null || (record.attempts.at(-1)?.exit ?? null) !== null) {
    return null;
  }
  try {
    const client = await connectKeeper({ endpoint: record.endpoint, nonce: record.nonce, epoch: 0 });
    await client.request('follow', { on: true });
    return client;
  } catch (error) {
    logger.debug('No keeper to follow.', { reason: errorText(error) });
    return null;
  }
}
