import type { FeatureDraft } from './featureDraft';

/** What a file that features share says of where it belongs. */
export interface Belonging {
  readonly task: string | null;
  readonly worker: string | null;
  /** The feature whose worktree the file lies in, or null. */
  readonly worktreeOf: string | null;
}

/**
 * The feature whose tasks have the task; without a task the only one that has the worker (features.md §1). Where ids
 * repeat between features, the worktree or the worker decides. Null where that leaves none or several.
 */
export function featureOf(
  { task, worker, worktreeOf }: Belonging,
  drafts: readonly FeatureDraft[],
): FeatureDraft | null {
  const owners = task === null ? drafts : drafts.filter(({ tasks }) => tasks.has(task));
  const here = owners.find(({ name }) => name === worktreeOf);
  if (here !== undefined) {
    return here;
  }
  return task !== null && owners.length === 1 ? onlyOne(owners) : onlyOne(havingWorker(owners, worker));
}

/** The drafts that have a worker of this key. */
export function havingWorker(drafts: readonly FeatureDraft[], worker: string | null): readonly FeatureDraft[] {
  return worker === null ? [] : drafts.filter(({ workers }) => workers.has(worker));
}

function onlyOne<T>(items: readonly T[]): T | null {
  const [first] = items;
  return first !== undefined && items.length === 1 ? first : null;
}
