import type { KeeperRecord } from '../core/protocol/keeper/keeperRecord';
import type { KeeperSpec } from '../core/protocol/keeper/keeperSpec';
import { processMemory } from '../core/system/processMemory';
import { unwatchedText } from './fuseBox';

const UNANSWERED =
  'What its program asks can no longer be answered, because that went through the keeper that died: it denies it by itself.';

/** What whoever reads the log should know of this run beforehand. */
export function firstNotes(
  { isolation, fuses, engine }: KeeperRecord,
  { adopt }: Pick<KeeperSpec, 'adopt'>,
): readonly string[] {
  const isolationNote = isolation?.note ?? null;
  const takeOver = 'A new keeper took over from one that had died';
  // Of a container its engine knows how it ended.
  const lost = isolation?.level === 'container' ? '.' : '; the exit code will not be known.';
  return [
    isolationNote === null ? null : `Isolation: ${isolationNote}.`,
    fuses === undefined ? null : unwatchedText(fuses.limits, processMemory(process.pid) !== null),
    adopt === null ? null : takeOver + lost,
    adopt === null || engine?.order.control !== true ? null : UNANSWERED,
  ].filter((text) => text !== null);
}
