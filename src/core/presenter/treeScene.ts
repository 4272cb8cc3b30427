import type { WorkerSnapshot } from '../protocol/snapshot';
import type { ShownRoot } from './shownRoot';
import type { TreeNode } from './treeNode';
import type { Reader } from './words';

/** What the groups of one root's tree are drawn from. */
export interface TreeScene {
  readonly snapshot: ShownRoot;
  /** The word for each worker, by its id. */
  readonly labels: ReadonlyMap<string, string>;
  readonly reader: Reader;
}

/** One group of the tree; gives no node at all while there is nothing in it. */
export type TreeGroup = (scene: TreeScene) => readonly TreeNode[];

/** The word for a worker in this tree. */
export function labelOf(worker: WorkerSnapshot, { labels }: Pick<TreeScene, 'labels'>): string {
  return labels.get(worker.workerId) ?? worker.workerId;
}
