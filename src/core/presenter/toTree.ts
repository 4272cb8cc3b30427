import { agentsGroup } from './agents/agentsGroup';
import { featuresGroup } from './features/featuresGroup';
import { needsGroup } from './needsGroup';
import type { ShownRoot } from './shownRoot';
import { type TreeNode, treeNode } from './treeNode';
import type { TreeGroup } from './treeScene';
import { isDone } from './workerOrder';
import { workerLabels } from './workerLabels';
import { workersGroup } from './workersGroup';
import type { Reader } from './words';

/** From top to bottom. */
const GROUPS: readonly TreeGroup[] = [needsGroup, workersGroup, agentsGroup, featuresGroup];

function groupsOf(snapshot: ShownRoot, reader: Reader): readonly TreeNode[] {
  // What is folded away cannot be mistaken for what stands open, so the two do not lengthen each other's labels.
  const labels = new Map([
    ...workerLabels(snapshot.workers.filter(isDone), reader),
    ...workerLabels(
      snapshot.workers.filter((worker) => !isDone(worker)),
      reader,
    ),
  ]);
  return GROUPS.flatMap((group) => group({ snapshot, labels, reader }));
}

/** The last part of a path with either separator. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

function folderNode(snapshot: ShownRoot, reader: Reader): readonly TreeNode[] {
  const children = groupsOf(snapshot, reader);
  const label = folderName(snapshot.root);
  const icon = { name: 'root-folder', color: null };
  const { root } = snapshot;
  return children.length === 0
    ? []
    : [treeNode({ kind: 'folder', id: `${root}#folder`, root, label, icon, expand: 'expanded', children })];
}

/**
 * The Workers tree: its groups, each absent when empty; below one node per folder where there are several roots
 * (surfaces.md, "Sidebar").
 */
export function toTree(snapshots: readonly ShownRoot[], reader: Reader): readonly TreeNode[] {
  const [first, ...others] = snapshots;
  if (first === undefined) {
    return [];
  }
  return others.length === 0 ? groupsOf(first, reader) : snapshots.flatMap((one) => folderNode(one, reader));
}
