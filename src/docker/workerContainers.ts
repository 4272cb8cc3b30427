import { CONTAINER_NAME, containerFacts, type ContainerFacts } from '../core/protocol/features/containerFacts';
import type { DockerEndpoint } from '../core/protocol/features/dockerEndpoint';
import { openEngine } from './openEngine';

const TIMEOUT_MS = 3_000;

/** All containers of feature runs' workers, of whatever project, running or not. Rejects where no engine answers. */
export async function workerContainers(endpoint: DockerEndpoint): Promise<readonly ContainerFacts[]> {
  const docker = openEngine(endpoint);
  const abortSignal = AbortSignal.timeout(TIMEOUT_MS);
  const listed = await docker.listContainers({ all: true, filters: { name: [CONTAINER_NAME] }, abortSignal });
  const looked = listed.map(async ({ Id }) => {
    try {
      return containerFacts(await docker.getContainer(Id).inspect({ abortSignal }));
    } catch {
      // It was removed after it was listed, or time is up, which is no answer at all.
      abortSignal.throwIfAborted();
      return null;
    }
  });
  return (await Promise.all(looked)).filter((facts) => facts !== null);
}
