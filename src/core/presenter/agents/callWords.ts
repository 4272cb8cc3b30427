import type { AgentSnapshot } from '../../protocol/actors/sessionSnapshot';
import { ageOf } from '../rowWords';
import type { Reader } from '../words';

/** `calls for 12 s`: how long the call runs that an agent waits for (actors.md §4); null where it waits for none. */
export function callWords({ calls: [since] }: Pick<AgentSnapshot, 'calls'>, reader: Reader): string | null {
  return since === undefined ? null : reader.t('calls for {0}', ageOf(since, reader));
}
