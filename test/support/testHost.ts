import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import type { HostOptions } from '../../src/core/host/createHost';
import type { FleetSnapshot } from '../../src/core/protocol/snapshot';
import { openWindowHost } from './openWindowHost';

/** The bundles of the last build; the integration level builds before it runs. */
export const distDir = fileURLToPath(new URL('../../dist', import.meta.url));

/** A host for `root` in this process, shut down when the running test ends. */
export async function openTestHost(root: string, options: Partial<HostOptions> = {}): Promise<HostApi> {
  const host = await openWindowHost(root, { distDir, ...options });
  onTestFinished(async () => host.shutdown());
  return host;
}

/** Resolves with the first snapshot that fulfils `wanted`; the host must be watching. */
export async function untilSnapshot(
  host: HostApi,
  wanted: (snapshot: FleetSnapshot) => boolean,
): Promise<FleetSnapshot> {
  const now = host.getSnapshot();
  if (wanted(now)) {
    return now;
  }
  return await new Promise((resolve) => {
    const subscription = host.onDidChangeSnapshot((snapshot) => {
      if (wanted(snapshot)) {
        subscription.dispose();
        resolve(snapshot);
      }
    });
  });
}
