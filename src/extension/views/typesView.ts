import * as vscode from 'vscode';
import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';
import { SerialQueue } from '../../core/base/serialQueue';
import { toTypesTree } from '../../core/presenter/toTypesTree';
import type { HostApi } from '../../core/host/api';
import type { ScheduleSnapshot } from '../../core/protocol/snapshot';
import type { TreeNode } from '../../core/presenter/treeNode';
import { Batched } from '../batched';
import type { Fleet } from '../fleet';
import { reader } from '../reader';
import { NodeProvider } from './nodeProvider';

const DRAWING = { delayMs: 250, restMs: 750 };

interface Drawn {
  readonly host: HostApi;
  readonly schedules: readonly ScheduleSnapshot[];
}

/** The Worker types view: the list protocol, each type with its ▶. */
export class TypesView implements Disposable {
  readonly #fleet: Fleet;
  readonly #queue = new SerialQueue();
  readonly #provider: NodeProvider;
  readonly #parts: vscode.Disposable;
  #drawn: readonly Drawn[] = [];

  constructor(fleet: Fleet, clock: Clock) {
    this.#fleet = fleet;
    // eslint-disable-next-line @typescript-eslint/require-await -- the tooltip is already there
    this.#provider = new NodeProvider(clock, async (node) => node.tooltip);
    const drawing = new Batched(clock, DRAWING, () => {
      void this.#queue.run(async () => this.#draw());
      return null;
    });
    const configuration = vscode.workspace.createFileSystemWatcher('**/.vscode/workers.json');
    const redraw = (): void => {
      drawing.soon();
    };
    this.#parts = vscode.Disposable.from(
      drawing,
      configuration,
      configuration.onDidCreate(redraw),
      configuration.onDidChange(redraw),
      configuration.onDidDelete(redraw),
      this.#provider,
      vscode.window.createTreeView('rollcall.views.types', { treeDataProvider: this.#provider }),
      fleet.onDidChange(() => {
        if (this.#isOutdated()) {
          redraw();
        }
      }),
    );
  }

  /** The node behind an element of the view. */
  nodeOf(id: string): TreeNode | undefined {
    return this.#provider.nodeOf(id);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  /** Snapshots change all the time, types only with their roots, their schedules, and the project's own file. */
  #isOutdated(): boolean {
    const { hosts } = this.#fleet;
    const differs = (host: HostApi, index: number): boolean => {
      const drawn = this.#drawn[index];
      const schedules = JSON.stringify(host.getSnapshot().schedules);
      return drawn?.host !== host || JSON.stringify(drawn.schedules) !== schedules;
    };
    return hosts.length !== this.#drawn.length || hosts.some(differs);
  }

  async #draw(): Promise<void> {
    const { hosts } = this.#fleet;
    const drawn = hosts.map((host) => ({ host, schedules: host.getSnapshot().schedules }));
    const roots = await Promise.all(
      drawn.map(async ({ host, schedules }) => ({ root: host.root, types: await host.listTypes(), schedules })),
    );
    this.#drawn = drawn;
    this.#provider.show(toTypesTree(roots, reader()));
  }
}
