import type { Engine, EngineRequest } from '../engines/engine';
import type { EnginesSettings } from '../engines/engineSettings';
import type { KeeperSpec } from '../protocol/keeper/keeperSpec';

/** Without any sign of itself for so long after its start a program hangs (lifecycle §4). */
const HUNG_START_MS = 10 * 60_000;

/** What the keeper must know of a program that asks a model; nothing for the others. */
export function keptEngineOrder(
  { orderOf }: Engine,
  request: EngineRequest,
  { answerMs }: EnginesSettings,
): Pick<KeeperSpec, 'engine'> {
  return orderOf === undefined ? {} : { engine: { ...orderOf(request), answerMs, startMs: HUNG_START_MS } };
}
