import type { HostApi } from '../core/host/api';
import type { FleetSnapshot, WorkerSnapshot } from '../core/protocol/snapshot';

/**
 * Leads the project, or follows who does, until a queued start has left the queue, and gives its worker. `gone` when there
 * is none: it was taken back, or can never be made. `interrupted` when `signal` aborts first; it waits on then.
 */
export async function untilStarted(
  host: HostApi,
  queueId: string,
  signal: AbortSignal,
): Promise<WorkerSnapshot | 'gone' | 'interrupted'> {
  await host.watch();
  await host.lead();
  await untilLeft(host, queueId, signal);
  if (signal.aborted) {
    // A start that is under way at this moment is made first, so that nothing is told to wait that does not.
    await host.shutdown();
  }
  // Its worker is in the registry before it leaves the queue, and this look comes after that.
  const snapshot = await host.look();
  const worker = snapshot.workers.find(({ entry }) => entry.extra['queue_id'] === queueId);
  return worker ?? (isQueued(snapshot, queueId) ? 'interrupted' : 'gone');
}

async function untilLeft(host: HostApi, queueId: string, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const subscription = host.onDidChangeSnapshot(check);
    signal.addEventListener('abort', end);
    check(host.getSnapshot());

    function check(snapshot: FleetSnapshot): void {
      if (signal.aborted || !isQueued(snapshot, queueId)) {
        end();
      }
    }

    function end(): void {
      subscription.dispose();
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}

function isQueued({ queue }: FleetSnapshot, queueId: string): boolean {
  return queue.some(({ id }) => id === queueId);
}
