import * as vscode from 'vscode';
import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';
import { tickInterval } from '../../core/presenter/tickInterval';
import { runTooltip } from '../../core/presenter/features/runTooltip';
import { needsCount } from '../../core/presenter/needs';
import { toTree } from '../../core/presenter/toTree';
import type { TreeNode } from '../../core/presenter/treeNode';
import { workerTooltip } from '../../core/presenter/workerTooltip';
import type { Reader } from '../../core/presenter/words';
import { Batched } from '../batched';
import type { Fleet } from '../fleet';
import { lastLogLine } from '../lastLogLine';
import { reader } from '../reader';
import { NodeProvider } from './nodeProvider';

/** What is new is on screen at once; yet rows stay alone long enough for a click (surfaces.md, "Sidebar"; performance.md). */
const DRAWING = { delayMs: 20, restMs: 250 };

/** The Workers tree with its badge. */
export class WorkersView implements Disposable {
  readonly #fleet: Fleet;
  readonly #clock: Clock;
  readonly #provider: NodeProvider;
  readonly #view: vscode.TreeView<string>;
  readonly #drawing: Batched;
  readonly #parts: vscode.Disposable;
  /** The provider's tree is older than the fleet. */
  #isBehind = false;

  constructor(fleet: Fleet, clock: Clock) {
    this.#fleet = fleet;
    this.#clock = clock;
    this.#provider = new NodeProvider(
      clock,
      async (node) => this.#tooltipOf(node),
      () => {
        this.#catchUp();
      },
    );
    this.#view = vscode.window.createTreeView('rollcall.views.workers', {
      treeDataProvider: this.#provider,
      showCollapseAll: true,
    });
    this.#drawing = new Batched(clock, DRAWING, () => this.#draw());
    this.#parts = vscode.Disposable.from(
      this.#drawing,
      this.#view,
      this.#provider,
      fleet.onDidChange(() => {
        this.#drawing.soon();
      }),
      this.#view.onDidChangeVisibility(() => {
        this.#drawing.now();
      }),
    );
  }

  /** Whether the person sees the view. */
  get visible(): boolean {
    return this.#view.visible;
  }

  /** Fires after the view came into sight or left it. */
  onDidChangeVisibility(listener: () => void): Disposable {
    return this.#view.onDidChangeVisibility(listener);
  }

  /** The node behind an element of the view. */
  nodeOf(id: string): TreeNode | undefined {
    this.#catchUp();
    return this.#provider.nodeOf(id);
  }

  /** What the view shows to this reader. */
  nodes(to: Reader): readonly TreeNode[] {
    return toTree(this.#fleet.snapshots, to);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  #draw(): number | null {
    const { snapshots } = this.#fleet;
    const needs = needsCount(snapshots);
    this.#isBehind = true;
    if (this.#view.visible) {
      this.#catchUp();
    }
    this.#view.badge = needs === 0 ? undefined : { value: needs, tooltip: vscode.l10n.t('{0} need you', needs) };
    this.#view.message = this.#message();
    this.#view.description = this.#leaderElsewhere();
    return this.#view.visible ? tickInterval(snapshots) : null;
  }

  /** Which window leads (lifecycle §6): nothing is said where it is this one, or nobody. */
  #leaderElsewhere(): string {
    const leader = this.#fleet.snapshots.map((one) => one.leader).find((one) => one?.self === false);
    if (leader === undefined || leader === null) {
      return '';
    }
    return leader.surface === 'vscode' ? vscode.l10n.t('another window leads') : vscode.l10n.t('another program leads');
  }

  /** The tree of a view that nobody sees is made only where somebody asks for it. */
  #catchUp(): void {
    if (this.#isBehind) {
      this.#isBehind = false;
      this.#provider.show(this.nodes(reader()));
    }
  }

  #message(): string {
    const fleet = this.#fleet;
    const shows = fleet.snapshots.some(({ workers, session }) => workers.length + (session?.agents.length ?? 0) > 0);
    if (!fleet.trusted && shows) {
      return vscode.l10n.t('This folder is not trusted: workers are shown, none can be started or stopped.');
    }
    const [root] = fleet.hosts.map((host) => host.root);
    return fleet.foldersBelowRoot.length > 0 && root !== undefined
      ? vscode.l10n.t('Shows the workers of {0}.', root)
      : '';
  }

  async #tooltipOf(node: TreeNode): Promise<string | null> {
    const { run } = node;
    if (run !== null) {
      const shown = this.#fleet.snapshots.find(({ root }) => root === node.root);
      return shown === undefined ? null : runTooltip({ kind: node.kind, run }, shown, reader());
    }
    const host = this.#fleet.hostOf(node.root);
    const worker = host?.getSnapshot().workers.find((one) => one.workerId === node.workerId);
    if (host === undefined || worker === undefined || (node.kind !== 'worker' && node.kind !== 'need')) {
      return node.tooltip;
    }
    return workerTooltip(worker, await lastLogLine(host, worker.workerId, this.#clock), reader());
  }
}
