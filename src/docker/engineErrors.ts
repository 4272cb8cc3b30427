import { errorText } from '../core/base/errorText';
import type { ContainerOrder } from '../core/protocol/keeper/containerOrder';

/** The engine's answer as an HTTP status; null where it gave none. */
export function statusOf(error: unknown): number | null {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' ? status : null;
}

export function noImageText(image: string): string {
  return `The container engine has no image ${image}. Fetch it with: docker pull ${image}. Or correct the image of this type in .vscode/workers.json.`;
}

/** What went wrong with an engine as such. */
export function engineErrorText(error: unknown): string {
  return statusOf(error) === null
    ? `The container engine does not answer (${errorText(error)}). Start it, or correct DOCKER_HOST or the docker context.`
    : `The container engine refuses: ${reasonOf(error)}. Correct that and try again.`;
}

/** Why a container could not be made or started. */
export function refusalText(error: unknown, { image, command }: ContainerOrder): string {
  const reason = reasonOf(error);
  if (statusOf(error) === 404 && /no such image/i.test(reason)) {
    return noImageText(image);
  }
  const missing = /bind source path does not exist: ?(.*)$/im.exec(reason)?.[1];
  if (missing !== undefined) {
    return `The container engine has no folder ${missing}, because it runs on another machine or in a file system of its own. Use an engine that sees this project under the same path, or choose another isolation.`;
  }
  if (/executable file not found|no such file or directory.*exec|exec:.*no such file/i.test(reason)) {
    return `The image ${image} has no program ${command[0] ?? ''}. Correct the command or the image of this type in .vscode/workers.json.`;
  }
  return engineErrorText(error);
}

function reasonOf(error: unknown): string {
  const told = error instanceof Error && 'json' in error ? error.json : null;
  const message = typeof told === 'object' && told !== null && 'message' in told ? told.message : null;
  return typeof message === 'string' ? message : errorText(error);
}
