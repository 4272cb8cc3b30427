import { fail, ok } from '../base/result';
import { fleetFuseDetail, fleetFuseText, type FleetFuseName, inMegabytes } from '../protocol/fleetFuse';
import type { FuseReset, Outcome, Refusal } from './api';
import type { HostContext } from './hostContext';

/**
 * Takes note that a person has seen a blown fuse of the whole project, after which starts go on. That of the logs counts
 * from what there is then. No word makes room on a disk: its fuse is whole by itself once there is enough.
 */
export async function resetFleetFuse(
  name: FleetFuseName,
  { fuses, refused }: Pick<HostContext, 'fuses' | 'refused'>,
): Promise<Outcome<FuseReset>> {
  if (refused !== null) {
    return fail<Refusal>({ code: 'unsafe-root', message: refused });
  }
  // Who cannot read what the leader noted must not be told that nothing is wrong.
  const blown = name === 'logs' ? await fuses.judgeLogs() : await fuses.diskNow();
  if (blown === null) {
    return fail<Refusal>({ code: 'wrong-state', message: `The fuse ${name} is not blown.` });
  }
  if (name === 'disk') {
    const message = `Still too little room (${fleetFuseDetail(blown)}). Free some space; the fuse is whole by itself then.`;
    return fail<Refusal>({ code: 'wrong-state', message });
  }
  const reset = await fuses.resetLogs();
  if (!reset.ok) {
    return reset;
  }
  const fuse = fleetFuseText(blown);
  const from = inMegabytes(reset.value.acceptedBytes);
  const message = `The fuse is reset (${fuse}). Starts go on; the limit counts from the ${String(from)} MB that there are.`;
  return ok({ workerId: null, fuse, message });
}
