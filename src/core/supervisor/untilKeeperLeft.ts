import { delay } from '../base/clock';
import type { KeeperRecord } from '../protocol/keeper/keeperRecord';
import type { AgentKeeperDeps } from './agentKeeperDeps';

/** It leaves its pipe within milliseconds, on a machine under load a little later. */
const LOOK_MS = 20;
const LOOKS = 100;

/**
 * Resolves when the keeper of an agent's last run holds its pipe no longer, or after some two seconds: it records the end
 * first, and the next keeper of the same folder could not listen meanwhile.
 */
export async function untilKeeperLeft(
  { endpoint, nonce }: Pick<KeeperRecord, 'endpoint' | 'nonce'>,
  epoch: number,
  { connect, clock }: Pick<AgentKeeperDeps, 'connect' | 'clock'>,
): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    const left = await connect({ endpoint, nonce, epoch }).catch(() => null);
    if (left === null) {
      return;
    }
    left.dispose();
    await delay(clock, LOOK_MS);
  }
}
