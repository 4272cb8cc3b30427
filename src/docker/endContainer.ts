import type { ContainerEnd, ContainerJob } from '../core/protocol/keeper/containerOrder';
import { statusOf } from './engineErrors';
import { openEngine } from './openEngine';

const TIMEOUT_MS = 10_000;

/** Ends a worker's container, if it runs, and removes it; null where there was none. Rejects where no engine answers. */
export async function endContainer({ place }: ContainerJob): Promise<ContainerEnd | null> {
  const container = openEngine(place.endpoint).getContainer(place.name);
  const abortSignal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    await container.kill({ signal: 'SIGKILL', abortSignal }).catch((error: unknown) => {
      // 409: it does not run.
      if (statusOf(error) !== 409) {
        throw error;
      }
    });
    await container.wait({ abortSignal });
    const { State } = await container.inspect({ abortSignal });
    await container.remove({ force: true, v: true, abortSignal });
    return { code: State.ExitCode, oomKilled: State.OOMKilled, refusal: null };
  } catch (error) {
    if (statusOf(error) === 404) {
      return null;
    }
    throw error;
  }
}
