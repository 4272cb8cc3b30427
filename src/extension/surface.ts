import type * as vscode from 'vscode';
import type { TreeNode } from '../core/presenter/treeNode';
import type { FeatureRuns } from './features/featureRuns';
import type { Fleet } from './fleet';
import type { Drafts } from './session/drafts';
import type { MessageDocuments } from './session/messageDocuments';
import type { StatusDocuments } from './statusDocuments';
import type { TypesView } from './views/typesView';
import type { WorkersView } from './views/workersView';
import type { WhyDocuments } from './whyDocuments';
import type { WorkerLogs } from './workerLogs';

/** The parts of this window that commands work with. */
export interface Surface {
  readonly fleet: Fleet;
  readonly log: vscode.LogOutputChannel;
  /** Remembers for this workspace. */
  readonly memory: vscode.Memento;
  readonly documents: StatusDocuments;
  readonly why: WhyDocuments;
  readonly messages: MessageDocuments;
  readonly drafts: Drafts;
  /** Where the bundles of the extension are, absolute. */
  readonly distDir: string;
  readonly logs: WorkerLogs;
  readonly workers: WorkersView;
  readonly types: TypesView;
  readonly runs: FeatureRuns;
}

/** What `activate` gives to the tests in the extension host: what the window shows, as data. */
export interface RollcallApi {
  readonly fleet: Fleet;
  tree(): readonly TreeNode[];
  /** Text of the status bar item, or null while it is hidden. */
  statusBar(): string | null;
}
