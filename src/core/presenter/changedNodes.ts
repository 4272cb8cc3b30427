import type { TreeNode } from './treeNode';

/** What a view must draw anew: everything, or the nodes with these ids. */
export type TreeChange = 'all' | readonly string[];

/** All nodes of a tree by id. */
export function indexNodes(nodes: readonly TreeNode[]): ReadonlyMap<string, TreeNode> {
  const index = new Map<string, TreeNode>();
  const add = (node: TreeNode): void => {
    index.set(node.id, node);
    node.children.forEach(add);
  };
  nodes.forEach(add);
  return index;
}

function ownLook({ children, ...look }: TreeNode): string {
  return JSON.stringify([look, children.map((child) => child.id)]);
}

/**
 * The smallest change from one tree to the next. Drawing a node draws all below it, so what stands under a changed
 * node is left out.
 */
export function changedNodes(before: readonly TreeNode[], after: readonly TreeNode[]): TreeChange {
  if (before.length !== after.length || before.some((node, index) => node.id !== after[index]?.id)) {
    return 'all';
  }
  const old = indexNodes(before);
  const changed: string[] = [];
  const visit = (node: TreeNode): void => {
    const previous = old.get(node.id);
    if (previous === undefined || ownLook(previous) !== ownLook(node)) {
      changed.push(node.id);
    } else {
      node.children.forEach(visit);
    }
  };
  after.forEach(visit);
  return changed;
}
