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

/**
 * The smallest change from one tree to the next. Drawing a node draws all below it, so what stands under a changed
 * node is left out; and so is what stands under a node that is not open, because nobody has drawn that yet.
 */
export function changedNodes(
  before: readonly TreeNode[],
  after: readonly TreeNode[],
  isOpen: (id: string) => boolean = () => true,
): TreeChange {
  if (!sameIds(before, after)) {
    return 'all';
  }
  const changed: string[] = [];
  const visit = (node: TreeNode, previous: TreeNode | undefined): void => {
    if (previous === undefined || !sameLook(previous, node)) {
      changed.push(node.id);
    } else if (isOpen(node.id)) {
      node.children.forEach((child, index) => {
        visit(child, previous.children[index]);
      });
    }
  };
  after.forEach((node, index) => {
    visit(node, before[index]);
  });
  return changed;
}

function sameIds(before: readonly TreeNode[], after: readonly TreeNode[]): boolean {
  return before.length === after.length && before.every((node, index) => node.id === after[index]?.id);
}

/** Value by value: a tree of a thousand workers is compared at each drawing, and texts of it would cost ten times that. */
function sameLook(before: TreeNode, after: TreeNode): boolean {
  const keys = Object.keys(after) as readonly (keyof TreeNode)[];
  return keys.every((key) =>
    key === 'children' ? sameIds(before.children, after.children) : sameValue(before[key], after[key]),
  );
}

function sameValue(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
}
