import { join } from 'node:path';
import { endpointFor } from './runtimeDir';

/**
 * Where existing agents look for their supervisor (actors.md §2): the place that .NET makes of the pipe name
 * `ralph-<agent>-main`. `tempDir` is the `TMPDIR` that the agent's process gets; not looked at on Windows.
 */
export function compatibleEndpointOf(
  agent: string,
  tempDir: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const name = `ralph-${agent}-main`;
  return platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tempDir, `CoreFxPipe_${name}`);
}

/** Where our own runtimes find the keeper of this folder: another place for each session and agent. */
export function privateEndpointOf(runtimeDir: string, keeperFolder: string): string {
  return endpointFor(runtimeDir, `${keeperFolder}\0agent`);
}
