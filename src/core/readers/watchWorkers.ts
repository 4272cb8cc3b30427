import { basename, dirname } from 'node:path';
import type { Disposable } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Logger } from '../base/logger';
import { FolderWatches } from './folderWatches';

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
  /** Watches exactly these worker folders, and this one file (or null), beside the workers root; others are let go. */
  watch(folders: readonly string[], file: string | null): void;
}

export interface WatchOptions {
  /** The workers root; it must exist. */
  readonly root: string;
  readonly logger: Logger;
  /** Called for each change, with the folder that it lies in, or null for the root itself. */
  readonly onHint: (folder: string | null) => void;
}

/**
 * Watches the workers root and some worker folders. A watcher is only a hint: it may be late, silent or refused
 * (128 inotify instances per user), so whoever uses it also reconciles by itself (notes/faults).
 */
export function watchWorkers(options: WatchOptions): WorkersWatch {
  return new WatchedWorkers(options);
}

function isNoise(name: string): boolean {
  return NOISY_NAMES.has(name) || name.endsWith('.tmp') || /^worker\.log\.\d+$/.test(name);
}

class WatchedWorkers implements WorkersWatch {
  readonly #options: WatchOptions;
  readonly #watches: FolderWatches;
  complete = true;
  #file: string | null = null;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#watches = new FolderWatches({
      onChange: (folder, name) => {
        this.#changed(folder, name);
      },
      onError: (error) => {
        this.#failed(error);
      },
    });
    this.watch([], null);
  }

  watch(folders: readonly string[], file: string | null): void {
    this.#file = file;
    const around = file === null ? [] : [dirname(file)];
    this.#watches.set(new Set([this.#options.root, ...folders, ...around]));
  }

  dispose(): void {
    this.#watches.dispose();
  }

  #changed(folder: string, name: string | null): void {
    const file = this.#file;
    // What else lies beside the file is not asked for.
    const isBeside = file !== null && folder === dirname(file) && name !== basename(file);
    if (!isBeside && (name === null || !isNoise(name))) {
      this.#options.onHint(folder === this.#options.root ? null : folder);
    }
  }

  #failed(error: unknown): void {
    if (this.complete) {
      this.complete = false;
      this.#options.logger.warn('The file watcher failed; changes are still found by looking once a second.', {
        reason: errorText(error),
      });
    }
  }
}
