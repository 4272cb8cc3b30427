import * as vscode from 'vscode';
import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';
import { changedNodes, indexNodes } from '../../core/presenter/changedNodes';
import type { TreeNode } from '../../core/presenter/treeNode';
import { toTreeItem } from './toTreeItem';

/** Drawing a row closes its tooltip; this is how long a tooltip may be read before its row is drawn again. */
const READING_MS = 4_000;

/** A row whose tooltip is being read. `late` when it would have been drawn meanwhile. */
interface ReadRow {
  readonly id: string;
  readonly timer: Disposable;
  late: boolean;
}

/**
 * Shows a presenter's tree in a view. The elements are the nodes' ids, so that a node which is drawn anew stays the same element
 * for VS Code: selection, focus and folding survive.
 */
export class NodeProvider implements vscode.TreeDataProvider<string>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<string[] | undefined>();
  readonly #clock: Clock;
  readonly #tooltipOf: (node: TreeNode) => Promise<string | null>;
  #nodes: readonly TreeNode[] = [];
  #index: ReadonlyMap<string, TreeNode> = new Map();
  /** Those whose children VS Code has asked for: it knows of no others. */
  readonly #open = new Set<string>();
  #read: ReadRow | null = null;
  readonly onDidChangeTreeData = this.#changed.event;

  readonly #beforeRoots: () => void;

  /**
   * `tooltipOf` makes the Markdown of a node when it is hovered; `beforeRoots` may call `show`, where VS Code asks for the
   * tree.
   */
  constructor(
    clock: Clock,
    tooltipOf: (node: TreeNode) => Promise<string | null>,
    beforeRoots = (): void => undefined,
  ) {
    this.#clock = clock;
    this.#tooltipOf = tooltipOf;
    this.#beforeRoots = beforeRoots;
  }

  /** Replaces the tree and draws what differs. */
  show(nodes: readonly TreeNode[]): void {
    const change = changedNodes(this.#nodes, nodes, (id) => this.#open.has(id));
    this.#nodes = nodes;
    this.#index = indexNodes(nodes);
    for (const id of this.#open) {
      if (!this.#index.has(id)) {
        this.#open.delete(id);
      }
    }
    if (change === 'all') {
      this.#changed.fire(undefined);
    } else {
      this.#draw(change);
    }
  }

  /** The node behind an element, or undefined when it is gone. */
  nodeOf(id: string): TreeNode | undefined {
    return this.#index.get(id);
  }

  getChildren(id?: string): string[] {
    if (id === undefined) {
      this.#beforeRoots();
    } else {
      this.#open.add(id);
    }
    const nodes = id === undefined ? this.#nodes : (this.#index.get(id)?.children ?? []);
    return nodes.map((node) => node.id);
  }

  getParent(id: string): string | undefined {
    return [...this.#index.values()].find(({ children }) => children.some((child) => child.id === id))?.id;
  }

  getTreeItem(id: string): vscode.TreeItem {
    const node = this.#index.get(id);
    return node === undefined ? new vscode.TreeItem('') : toTreeItem(node);
  }

  async resolveTreeItem(item: vscode.TreeItem, id: string): Promise<vscode.TreeItem> {
    const node = this.#index.get(id);
    this.#startReading(id);
    const markdown = node === undefined ? null : await this.#tooltipOf(node);
    item.tooltip = markdown === null ? undefined : new vscode.MarkdownString(markdown);
    return item;
  }

  dispose(): void {
    this.#read?.timer.dispose();
    this.#changed.dispose();
  }

  #draw(ids: readonly string[]): void {
    const read = this.#read;
    const now = ids.filter((id) => id !== read?.id);
    if (read !== null && now.length < ids.length) {
      read.late = true;
    }
    if (now.length > 0) {
      this.#changed.fire(now);
    }
  }

  #startReading(id: string): void {
    this.#stopReading();
    const timer = this.#clock.schedule(READING_MS, () => {
      this.#stopReading();
    });
    this.#read = { id, timer, late: false };
  }

  #stopReading(): void {
    const read = this.#read;
    this.#read = null;
    read?.timer.dispose();
    if (read?.late === true) {
      this.#changed.fire([read.id]);
    }
  }
}
