import type { FeatureSnapshot, FeatureTask, FeatureWorker } from '../../protocol/features/featureSnapshot';
import { workerKey } from '../../protocol/features/workerKey';
import { plainLine } from '../plainText';
import type { Translate } from '../words';

/** More ids than these tell a person nothing more. */
const MAX_IDS = 10;

/** The tasks that a worker holds and does not work on any more. */
export function strandedWith({ id }: FeatureWorker, { tasks }: FeatureSnapshot): readonly FeatureTask[] {
  return tasks.filter(({ stranded, worker }) => stranded && workerKey(worker) === workerKey(id));
}

/** Ids of tasks in one line, of many the first and how many more there are; empty for none. */
export function idsInLine(ids: readonly string[], t: Translate): string {
  const shown = ids
    .slice(0, MAX_IDS)
    .map((id) => plainLine(id, 60))
    .join(', ');
  return ids.length > MAX_IDS ? t('{0} and {1} more', shown, ids.length - MAX_IDS) : shown;
}
