import type { Clock } from '../core/base/clock';
import { DisposableStore } from '../core/base/disposable';
import type { HostApi } from '../core/host/api';
import { isWorkerId } from '../core/protocol/workers/workerId';

const TAIL_BYTES = 4_096;
const PATIENCE_MS = 300;

/** The newest line of a worker's log that is not empty; null where there is none, or none within a moment. */
export async function lastLogLine(host: HostApi, workerId: string, clock: Clock): Promise<string | null> {
  if (!isWorkerId(workerId)) {
    return null;
  }
  const parts = new DisposableStore();
  try {
    const text = await new Promise<string>((resolve) => {
      parts.add(
        clock.schedule(PATIENCE_MS, () => {
          resolve('');
        }),
      );
      parts.add(
        host.followLog(workerId, TAIL_BYTES, (chunk) => {
          resolve(chunk.text);
        }),
      );
    });
    return text.split('\n').findLast((line) => line.trim() !== '') ?? null;
  } finally {
    parts.dispose();
  }
}
