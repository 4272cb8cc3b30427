import type { FleetSnapshot, WorkerSnapshot } from '../protocol/snapshot';
import { isActive } from '../protocol/workers/statusWord';
import { queuedNode } from './queuedNode';
import { type TreeNode, treeNode } from './treeNode';
import { labelOf, type TreeScene } from './treeScene';
import { workerNode } from './workerNode';
import { isDone, orderWorkers } from './workerOrder';

function placedNode(worker: WorkerSnapshot, scene: TreeScene): TreeNode {
  return workerNode({ root: scene.snapshot.root, worker, label: labelOf(worker, scene) }, scene.reader);
}

function doneNode(done: readonly WorkerSnapshot[], scene: TreeScene): readonly TreeNode[] {
  const { root } = scene.snapshot;
  return done.length === 0
    ? []
    : [
        treeNode({
          kind: 'group',
          id: `${root}#done`,
          root,
          label: scene.reader.t('Done'),
          description: String(done.length),
          icon: { name: 'pass', color: 'testing.iconPassed' },
          contextValue: 'group.done',
          children: done.map((worker) => placedNode(worker, scene)),
        }),
      ];
}

function queuedNodes({ snapshot, reader }: TreeScene): readonly TreeNode[] {
  const { root, queue } = snapshot;
  return queue.map((start, index) => queuedNode({ root, start, place: index + 1 }, reader));
}

/** How many workers of a root count against its limit (workers.md §4.3). */
export function activeCount(snapshot: FleetSnapshot): number {
  return snapshot.workers.filter((worker) => isActive(worker.entry.status)).length;
}

/** *Background workers*: what goes on, what waits for a slot, and *Done* folded below (surfaces.md, "Sidebar"). */
export function workersGroup(scene: TreeScene): readonly TreeNode[] {
  const { snapshot, reader } = scene;
  if (snapshot.workers.length === 0 && snapshot.queue.length === 0) {
    return [];
  }
  const ordered = orderWorkers(snapshot.workers);
  const live = ordered.filter((worker) => !isDone(worker)).map((worker) => placedNode(worker, scene));
  const active = activeCount(snapshot);
  return [
    treeNode({
      kind: 'group',
      id: `${snapshot.root}#workers`,
      root: snapshot.root,
      label: reader.t('Background workers'),
      description: `${active}/${snapshot.maxConcurrent}`,
      contextValue: 'group.workers',
      accessibleLabel: reader.t('Background workers, {0} of {1} active', active, snapshot.maxConcurrent),
      expand: 'expanded',
      children: [...live, ...queuedNodes(scene), ...doneNode(ordered.filter(isDone), scene)],
    }),
  ];
}
