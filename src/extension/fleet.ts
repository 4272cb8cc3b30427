import type { Disposable } from '../core/base/disposable';
import { Emitter } from '../core/base/emitter';
import { errorText } from '../core/base/errorText';
import type { Logger } from '../core/base/logger';
import { SerialQueue } from '../core/base/serialQueue';
import type { HostApi } from '../core/host/api';
import { findRoot } from '../core/host/findRoot';
import type { ShownRoot } from '../core/presenter/shownRoot';
import type { FeaturesSnapshot } from '../core/protocol/features/featureSnapshot';

export interface FleetOptions {
  readonly open: (root: string, trusted: boolean) => Promise<HostApi>;
  readonly logger: Logger;
}

/** The folders that a window shows, and whether the person trusts them. */
export interface Workplace {
  readonly folders: readonly string[];
  readonly trusted: boolean;
}

interface OpenRoot {
  readonly host: HostApi;
  readonly trusted: boolean;
  readonly changes: Disposable;
}

/** `loading` until the first look at every root; `failed` when a root could not be opened. */
export type FleetPhase = 'loading' | 'ready' | 'failed';

/** The hosts of all roots of a window: one per root, whatever number of folders lie below it. */
export class Fleet implements Disposable {
  readonly #options: FleetOptions;
  readonly #roots = new Map<string, OpenRoot>();
  readonly #features = new Map<string, FeaturesSnapshot>();
  #dismissed: ReadonlySet<string> = new Set();
  readonly #queue = new SerialQueue();
  readonly #changed: Emitter<undefined>;
  #workplace: Workplace = { folders: [], trusted: false };
  #phase: FleetPhase = 'loading';

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) => {
      options.logger.error(errorText(error));
    });
  }

  /** Fires after any snapshot, root, or the phase changed. */
  onDidChange(listener: () => void): Disposable {
    return this.#changed.event(listener);
  }

  get phase(): FleetPhase {
    return this.#phase;
  }

  get trusted(): boolean {
    return this.#workplace.trusted;
  }

  get hosts(): readonly HostApi[] {
    return [...this.#roots.values()].map(({ host }) => host);
  }

  get snapshots(): readonly ShownRoot[] {
    const dismissed = this.#dismissed;
    return this.hosts.map((host) => {
      const features = this.#features.get(host.root);
      return features === undefined ? host.getSnapshot() : { ...host.getSnapshot(), features, dismissed };
    });
  }

  /** Shows the feature runs of a root from now on, or none for null. */
  showFeatures(root: string, features: FeaturesSnapshot | null): void {
    if (features === null ? this.#features.delete(root) : this.#features.set(root, features)) {
      this.#changed.fire(undefined);
    }
  }

  /** Puts needs of feature runs away, by their ids; what was put away before comes back where it is not among them. */
  dismissNeeds(ids: ReadonlySet<string>): void {
    this.#dismissed = ids;
    this.#changed.fire(undefined);
  }

  /** Folders of the window that lie below the root which is shown for them. */
  get foldersBelowRoot(): readonly string[] {
    return this.#workplace.folders.filter((folder) => !this.#roots.has(folder));
  }

  hostOf(root: string): HostApi | undefined {
    return this.#roots.get(root)?.host;
  }

  /** Opens the roots of these folders and closes all others. A root whose trust changed is opened anew. */
  async show(workplace: Workplace): Promise<void> {
    await this.#queue.run(async () => {
      try {
        await this.#show(workplace);
        this.#phase = 'ready';
      } catch (error) {
        this.#phase = 'failed';
        this.#options.logger.error(`Cannot open the workers of this window: ${errorText(error)}`);
      }
      this.#changed.fire(undefined);
    });
  }

  /** Resolves when all that was to be shown so far is open, or could not be opened. */
  async opened(): Promise<void> {
    await this.#queue.run(() => undefined);
  }

  /** Tries again to show what should be shown, e.g. after the disk came back. */
  async reopen(): Promise<void> {
    await this.show(this.#workplace);
  }

  /** The status protocol for every root; in an untrusted window a mere look, which writes nothing. */
  async refresh(): Promise<void> {
    const { trusted } = this;
    await Promise.all(this.hosts.map(async (host) => (trusted ? host.refresh() : host.look())));
  }

  /** Gives every lease up and leaves every worker alone. */
  async shutdown(): Promise<void> {
    await this.#queue.run(async () => {
      await Promise.all(this.hosts.map(async (host) => host.shutdown()));
    });
  }

  dispose(): void {
    for (const root of this.#roots.values()) {
      root.changes.dispose();
      root.host.dispose();
    }
    this.#roots.clear();
    this.#changed.dispose();
  }

  async #show(workplace: Workplace): Promise<void> {
    this.#workplace = workplace;
    const wanted = new Set(await Promise.all(workplace.folders.map(findRoot)));
    const leaving = [...this.#roots].filter(([root, open]) => !wanted.has(root) || open.trusted !== workplace.trusted);
    await Promise.all(leaving.map(async ([root, open]) => this.#close(root, open)));
    const coming = [...wanted].filter((root) => !this.#roots.has(root));
    // Each root to its end, so that a broken one does not hide the others.
    const opened = await Promise.allSettled(coming.map(async (root) => this.#open(root, workplace.trusted)));
    const broken = opened.find((one) => one.status === 'rejected');
    if (broken !== undefined) {
      throw broken.reason;
    }
  }

  async #open(root: string, trusted: boolean): Promise<void> {
    const host = await this.#options.open(root, trusted);
    const changes = host.onDidChangeSnapshot(() => {
      this.#changed.fire(undefined);
    });
    const open = { host, trusted, changes };
    this.#roots.set(root, open);
    try {
      await host.look();
      await host.watch();
      if (trusted) {
        await host.lead();
      }
    } catch (error) {
      await this.#close(root, open);
      throw error;
    }
  }

  async #close(root: string, open: OpenRoot): Promise<void> {
    this.#roots.delete(root);
    this.#features.delete(root);
    open.changes.dispose();
    await open.host.shutdown();
    open.host.dispose();
  }
}
