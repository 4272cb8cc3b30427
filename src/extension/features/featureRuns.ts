import * as vscode from 'vscode';
import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';
import { errorText } from '../../core/base/errorText';
import type { Logger } from '../../core/base/logger';
import type { HostApi } from '../../core/host/api';
import type { Fleet } from '../fleet';

/** Without one of them in a root there is nothing to look for. */
const RUN_FOLDERS = ['.zerg', '.gsd', '.zerg-worktrees'];
/** While nobody sees the tree, the badge alone needs to know. */
const UNSEEN_LOOK_MS = 15_000;
const MEMORY_KEY = 'dismissedRunNeeds';
const MAX_DISMISSED = 200;

/** What shows the runs. */
export interface RunsView {
  readonly visible: boolean;
  onDidChangeVisibility(listener: () => void): Disposable;
}

export interface FeatureRunsOptions {
  readonly fleet: Fleet;
  readonly view: RunsView;
  readonly memory: vscode.Memento;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How a root is looked at: not at all, now and then, or followed change by change. */
type Pace = 'none' | 'unseen' | 'seen';

interface WatchedRoot {
  readonly host: HostApi;
  readonly folders: vscode.Disposable;
  pace: Pace;
  looking: Disposable | null;
}

/**
 * Keeps the fleet told of the feature runs of its roots: change by change while the tree is in sight, now and then while
 * it is not, and at no cost in a root without any.
 */
export class FeatureRuns implements Disposable {
  readonly #options: FeatureRunsOptions;
  readonly #roots = new Map<string, WatchedRoot>();
  readonly #parts: vscode.Disposable;

  constructor(options: FeatureRunsOptions) {
    this.#options = options;
    const { fleet, view, memory } = options;
    const remembered = memory.get<unknown>(MEMORY_KEY);
    fleet.dismissNeeds(new Set(Array.isArray(remembered) ? remembered.map(String) : []));
    const check = (): void => {
      this.refresh();
    };
    this.#parts = vscode.Disposable.from(
      fleet.onDidChange(() => {
        this.#sync();
      }),
      view.onDidChangeVisibility(check),
      vscode.window.onDidChangeWindowState(check),
    );
    this.#sync();
  }

  /** Looks again which roots have runs at all. */
  refresh(): void {
    for (const watched of this.#roots.values()) {
      void this.#check(watched);
    }
  }

  /** Puts a need of a run away for good, in this workspace. */
  async dismiss(id: string): Promise<void> {
    const { fleet, memory } = this.#options;
    const known = memory.get<readonly string[]>(MEMORY_KEY, []);
    const dismissed = [...known.filter((one) => one !== id), id].slice(-MAX_DISMISSED);
    fleet.dismissNeeds(new Set(dismissed));
    await memory.update(MEMORY_KEY, dismissed);
  }

  dispose(): void {
    this.#parts.dispose();
    for (const root of [...this.#roots.keys()]) {
      this.#close(root);
    }
  }

  /** A host that was opened anew for its root is another one. */
  #sync(): void {
    const { fleet } = this.#options;
    for (const [root, { host }] of [...this.#roots]) {
      if (fleet.hostOf(root) !== host) {
        this.#close(root);
      }
    }
    for (const host of fleet.hosts.filter(({ root }) => !this.#roots.has(root))) {
      this.#open(host);
    }
  }

  #open(host: HostApi): void {
    const pattern = new vscode.RelativePattern(vscode.Uri.file(host.root), `{${RUN_FOLDERS.join(',')}}`);
    const watcher = vscode.workspace.createFileSystemWatcher(pattern, false, true, true);
    const watched: WatchedRoot = {
      host,
      folders: vscode.Disposable.from(
        watcher,
        watcher.onDidCreate(() => void this.#check(watched)),
      ),
      pace: 'none',
      looking: null,
    };
    this.#roots.set(host.root, watched);
    void this.#check(watched);
  }

  #close(root: string): void {
    const watched = this.#roots.get(root);
    this.#roots.delete(root);
    watched?.folders.dispose();
    watched?.looking?.dispose();
  }

  async #check(watched: WatchedRoot): Promise<void> {
    const hasRuns = await hasRunFolder(watched.host.root);
    if (this.#roots.get(watched.host.root) === watched) {
      const pace = this.#options.view.visible ? 'seen' : 'unseen';
      this.#setPace(watched, hasRuns ? pace : 'none');
    }
  }

  #setPace(watched: WatchedRoot, pace: Pace): void {
    if (watched.pace === pace) {
      return;
    }
    const { fleet } = this.#options;
    const { host } = watched;
    watched.pace = pace;
    watched.looking?.dispose();
    watched.looking = null;
    if (pace === 'none') {
      fleet.showFeatures(host.root, null);
    } else if (pace === 'unseen') {
      void this.#lookUnseen(watched);
    } else {
      watched.looking = host.followFeatures({}, (snapshot) => {
        fleet.showFeatures(host.root, snapshot);
      });
    }
  }

  async #lookUnseen(watched: WatchedRoot): Promise<void> {
    const { clock, logger, fleet } = this.#options;
    const { host } = watched;
    try {
      const snapshot = await host.features({});
      if (this.#isUnseen(watched)) {
        fleet.showFeatures(host.root, snapshot);
      }
    } catch (error) {
      logger.error('A look at the feature runs failed; it is tried again.', { reason: errorText(error) });
    }
    if (this.#isUnseen(watched)) {
      watched.looking = clock.schedule(UNSEEN_LOOK_MS, () => void this.#lookUnseen(watched));
    }
  }

  #isUnseen(watched: WatchedRoot): boolean {
    return watched.pace === 'unseen' && this.#roots.get(watched.host.root) === watched;
  }
}

async function hasRunFolder(root: string): Promise<boolean> {
  const found = await Promise.all(
    RUN_FOLDERS.map(async (name) => isThere(vscode.Uri.joinPath(vscode.Uri.file(root), name))),
  );
  return found.includes(true);
}

async function isThere(place: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(place).then(
    () => true,
    () => false,
  );
}
