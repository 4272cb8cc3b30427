import type { FeatureDraft } from './featureDraft';
import type { FeatureLevel } from './featureSnapshot';
import { count, levelStatus } from './levelStatus';
import type { TaskRecord } from './stateDocument';

/** The level of a task: the graph's, else the state's, else the one in an id such as `AUTH-L2-001`. */
export function levelOf({ id, level }: TaskRecord): number | null {
  const inId = /-L(\d{1,6})-/.exec(id)?.[1];
  return level ?? (inId === undefined ? null : Number(inId));
}

/** Every level that the graph, the state or a task names, in order. */
export function featureLevels({ graph, state, tasks, kind }: FeatureDraft): readonly FeatureLevel[] {
  const statuses = statusesByLevel(tasks.values());
  const named = new Set([...(graph?.levelNames.keys() ?? []), ...(state?.levels.keys() ?? []), ...statuses.keys()]);
  return [...named]
    .sort((a, b) => a - b)
    .map((level) => {
      const own = statuses.get(level) ?? [];
      const record = state?.levels.get(level) ?? null;
      const readable = kind !== 'unreadable';
      const known = readable && !own.includes('unknown');
      return {
        level,
        name: graph?.levelNames.get(level) ?? null,
        total: own.length,
        complete: known ? count(own, 'complete') : null,
        failed: known ? count(own, 'failed') : null,
        status: levelStatus({ record, statuses: own, total: own.length, readable }),
        mergeStatus: record?.mergeStatus ?? null,
      };
    });
}

function statusesByLevel(tasks: Iterable<TaskRecord>): ReadonlyMap<number, readonly string[]> {
  const statuses = new Map<number, string[]>();
  for (const task of tasks) {
    const level = levelOf(task);
    if (level !== null) {
      const own = statuses.get(level) ?? [];
      own.push(task.status);
      statuses.set(level, own);
    }
  }
  return statuses;
}
