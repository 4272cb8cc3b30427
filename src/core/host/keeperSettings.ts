import type { KeeperSpec } from '../protocol/keeper/keeperSpec';
import type { HostContext } from './hostContext';

const MEGABYTE = 1024 * 1024;

/** The keeper's settings that are the same for every worker of a host. Fuses as in lifecycle §9: 50 MB, three files. */
export function keeperSettings({
  root,
  runtimeDir,
}: HostContext): Pick<KeeperSpec, 'root' | 'runtimeDir' | 'graceMs' | 'termGraceMs' | 'limits'> {
  return {
    root,
    runtimeDir,
    graceMs: 30_000,
    termGraceMs: 5_000,
    limits: { rawBytes: 50 * MEGABYTE, logBytes: 50 * MEGABYTE, logFiles: 3 },
  };
}
