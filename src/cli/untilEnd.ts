import type { HostApi } from '../core/host/api';
import type { WorkerSnapshot } from '../core/protocol/snapshot';
import type { CliContext } from './cliContext';

/**
 * Waits for a worker's end and enters it into the registry, for nobody else may be there to do it. Null when the person
 * ended the waiting with Ctrl-C; the worker goes on then.
 */
export async function untilEnd(
  context: CliContext,
  host: HostApi,
  { workerId, signal }: { readonly workerId: string; readonly signal: AbortSignal },
): Promise<WorkerSnapshot | null> {
  try {
    const ended = await host.waitForEnd(workerId, signal);
    const { workers } = await host.refresh();
    return workers.find((worker) => worker.workerId === workerId) ?? ended;
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
    context.err(`Stopped waiting. Worker ${workerId} goes on.`);
    return null;
  }
}
