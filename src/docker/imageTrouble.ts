import type { DockerEndpoint } from '../core/protocol/features/dockerEndpoint';
import { engineErrorText, noImageText, statusOf } from './engineErrors';
import { inTime } from './inTime';
import { openEngine } from './openEngine';

const TIMEOUT_MS = 5_000;

/** Why no container of this image can run there, ending in what the person can do; null where nothing speaks against it. */
export async function imageTrouble(endpoint: DockerEndpoint, image: string): Promise<string | null> {
  try {
    await inTime(openEngine(endpoint).getImage(image).inspect(), TIMEOUT_MS);
    return null;
  } catch (error) {
    return statusOf(error) === 404 ? noImageText(image) : engineErrorText(error);
  }
}
