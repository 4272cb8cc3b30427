import type { WorkerIdValue } from '../protocol/features/workerKey';
import type { Icon } from './workerIcon';

/** What a node stands for; surfaces hang their behaviour on it. */
export type TreeNodeKind =
  | 'folder'
  | 'group'
  | 'need'
  | 'ask'
  | 'problem'
  | 'fuse'
  | 'worker'
  | 'queued'
  | 'outputs'
  | 'output'
  | 'log'
  | 'evidence'
  | 'agent'
  | 'inbox'
  | 'messages'
  | 'message'
  | 'feature'
  | 'level'
  | 'runWorker'
  | 'task'
  | 'runNeed'
  | 'fact'
  | 'type';

/** What of the feature runs a row belongs to. */
export interface RunPlace {
  /** Null where it belongs to no single feature. */
  readonly feature: string | null;
  readonly worker: WorkerIdValue | null;
  readonly task: string | null;
  /** The id of the need that the row stands for. */
  readonly need: string | null;
}

/** One row of a tree view with everything below it: complete, immutable, and without any VS Code in it. */
export interface TreeNode {
  readonly kind: TreeNodeKind;
  /** Unique in its tree, and the same for the same thing for ever. */
  readonly id: string;
  readonly root: string;
  readonly label: string;
  readonly description: string;
  readonly icon: Icon | null;
  readonly contextValue: string;
  readonly accessibleLabel: string;
  readonly expand: 'leaf' | 'collapsed' | 'expanded';
  /** The worker that the node belongs to, or null. */
  readonly workerId: string | null;
  /** The session agent that the node belongs to, or null. */
  readonly agent: string | null;
  /** The item of the inbox that the node stands for, or null. */
  readonly itemId: string | null;
  /** The queued start that the node stands for, or null. */
  readonly queueId: string | null;
  /** The feature run that the node belongs to, or null. */
  readonly run: RunPlace | null;
  /** Absolute path of the file that the node stands for, or null. */
  readonly file: string | null;
  /** Markdown whose file content is escaped, or null where the row says it all. */
  readonly tooltip: string | null;
  readonly children: readonly TreeNode[];
}

/** What a node must say of itself; the rest has a quiet default. */
export type NodeDraft = Pick<TreeNode, 'kind' | 'id' | 'root' | 'label'> & Partial<TreeNode>;

/** What a row below another one must say: its id is that of its owner with the key behind it. */
export type ChildDraft = Omit<NodeDraft, 'id' | 'root'> & { readonly key: string };

/** Completes a node: a leaf without icon whose accessible label is what it shows. */
export function treeNode(draft: NodeDraft): TreeNode {
  const description = draft.description ?? '';
  return {
    description,
    icon: null,
    contextValue: draft.kind,
    accessibleLabel: description === '' ? draft.label : `${draft.label}, ${description.replaceAll(' · ', ', ')}`,
    expand: draft.children === undefined || draft.children.length === 0 ? 'leaf' : 'collapsed',
    workerId: null,
    agent: null,
    itemId: null,
    queueId: null,
    run: null,
    file: null,
    tooltip: null,
    children: [],
    ...draft,
  };
}
