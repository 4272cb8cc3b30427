import { fleetFuseRefusal } from '../protocol/fleetFuse';
import type { Refusal } from './api';
import type { HostContext } from './hostContext';

/**
 * Why nothing may be started in this project now, be it a worker or a session agent: one of its fuses is blown (lifecycle
 * §9). Null while both are whole. The caller leads.
 */
export async function refusalByFuse({ fuses, workersDir }: HostContext): Promise<Refusal | null> {
  const blown = await fuses.judgeStart();
  return blown === null
    ? null
    : { code: blown.name === 'disk' ? 'disk-full' : 'fuse', message: fleetFuseRefusal(blown, workersDir) };
}
