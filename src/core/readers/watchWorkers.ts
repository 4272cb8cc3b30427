import { basename, dirname } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { Disposable } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Logger } from '../base/logger';

/** Names whose changes say nothing about a worker's state; they change many times a second. */
const NOISY_NAMES: ReadonlySet<string> = new Set([
  'output.raw',
  'worker.log',
  'registry.json.lock',
  'registry.json.next',
]);

export interface WorkersWatch extends Disposable {
  /** False once something could not be watched; then changes must be looked for. */
  readonly complete: boolean;
  /** Watches exactly these worker folders beside the workers root; others are let go. */
  setFolders(folders: readonly string[]): void;
}

export interface WatchOptions {
  /** The workers root; it must exist. */
  readonly root: string;
  readonly logger: Logger;
  /** Called for each change, with the worker folder that it lies in, or null for the root itself. */
  readonly onHint: (folder: string | null) => void;
}

/**
 * Watches the workers root and some worker folders. A watcher is only a hint: it may be late, silent or refused
 * (128 inotify instances per user), so whoever uses it also reconciles by itself (notes/faults).
 */
export function watchWorkers(options: WatchOptions): WorkersWatch {
  const watcher = watch(options.root, {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => isNoise(path),
  });
  watcher.on('all', (_event, path) => {
    options.onHint(folderOf(options.root, path));
  });
  const folders = new FolderSet(watcher);
  watcher.on('error', (error) => {
    folders.complete = false;
    options.logger.warn('The file watcher failed; changes are still found by looking once a second.', {
      reason: errorText(error),
    });
  });
  return folders;
}

/** The worker folder that a changed path belongs to, or null for something in the root itself. */
function folderOf(root: string, path: string): string | null {
  const parent = dirname(path);
  return path === root || parent === root ? null : parent;
}

function isNoise(path: string): boolean {
  const name = basename(path);
  return NOISY_NAMES.has(name) || name.endsWith('.tmp') || /^worker\.log\.\d+$/.test(name);
}

class FolderSet implements WorkersWatch {
  readonly #watcher: FSWatcher;
  complete = true;
  #folders: ReadonlySet<string> = new Set();

  constructor(watcher: FSWatcher) {
    this.#watcher = watcher;
  }

  setFolders(folders: readonly string[]): void {
    const wanted = new Set(folders);
    const added = folders.filter((folder) => !this.#folders.has(folder));
    const gone = [...this.#folders].filter((folder) => !wanted.has(folder));
    this.#folders = wanted;
    if (added.length > 0) {
      this.#watcher.add(added);
    }
    if (gone.length > 0) {
      this.#watcher.unwatch(gone);
    }
  }

  dispose(): void {
    // Closing only lets go of handles; there is nothing to wait for and nobody to tell.
    void this.#watcher.close();
  }
}
