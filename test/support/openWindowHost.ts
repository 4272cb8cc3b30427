import { silentLogger } from '../../src/core/base/logger';
import type { HostApi } from '../../src/core/host/api';
import { createHost, type HostOptions } from '../../src/core/host/createHost';

/** A host for `root` as a trusted window opens it, on the bundles in `distDir`; the caller shuts it down. */
export async function openWindowHost(
  root: string,
  options: Pick<HostOptions, 'distDir'> & Partial<HostOptions>,
): Promise<HostApi> {
  return await createHost({
    root,
    surface: 'vscode',
    nodePath: process.execPath,
    env: process.env,
    trusted: true,
    logger: silentLogger,
    ...options,
  });
}
