import { readCodexRollout } from '../protocol/engines/codexRollout';
import type { EngineOrder } from '../protocol/engines/engineOrder';
import { readSessionTail } from './sessionTail';

/** What the file that a program keeps of its session says of a failure; null where it keeps none, or that says nothing. */
export async function engineRollout(
  { rollouts }: Pick<EngineOrder, 'rollouts'>,
  sessionId: string | null,
): Promise<ReturnType<typeof readCodexRollout>> {
  const tail = rollouts === null || sessionId === null ? null : await readSessionTail(rollouts, sessionId);
  return tail === null ? null : readCodexRollout(tail);
}
