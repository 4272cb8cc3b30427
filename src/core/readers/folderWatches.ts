import { type FSWatcher, lstatSync, watch } from 'node:fs';
import { basename } from 'node:path';
import type { Disposable } from '../base/disposable';
import { errorCode } from '../base/errorText';

export interface FolderWatchesOptions {
  /** Called for each change in a folder; `name` is null where the system does not tell it. */
  readonly onChange: (folder: string, name: string | null) => void;
  /** Called when a folder could not be watched, or is not any more, for another reason than that it is gone. */
  readonly onError: (error: unknown) => void;
}

/**
 * The system's own watchers of some folders, not of what lies in their subfolders. They list and ask for nothing, so that
 * a folder with a thousand entries costs as little as an empty one. They may be late or silent: only hints (notes/faults).
 */
export class FolderWatches implements Disposable {
  readonly #options: FolderWatchesOptions;
  readonly #watched = new Map<string, FSWatcher>();

  constructor(options: FolderWatchesOptions) {
    this.#options = options;
  }

  /** Watches exactly these folders. One that is not there, or has gone since, is watched by the call that finds it. */
  set(folders: ReadonlySet<string>): void {
    for (const folder of this.#watched.keys()) {
      if (!folders.has(folder)) {
        this.#drop(folder);
      }
    }
    for (const folder of folders) {
      if (!this.#watched.has(folder)) {
        this.#add(folder);
      }
    }
  }

  dispose(): void {
    this.set(new Set());
  }

  #add(folder: string): void {
    try {
      // A link would lead to a folder that is not ours.
      if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
        return;
      }
      const watcher = watch(folder);
      watcher.on('change', (_kind, name) => {
        this.#changed(folder, name);
      });
      watcher.on('error', (error) => {
        this.#drop(folder);
        this.#options.onError(error);
      });
      this.#watched.set(folder, watcher);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') {
        this.#options.onError(error);
      }
    }
  }

  #changed(folder: string, name: string | Buffer): void {
    const text = typeof name === 'string' ? name : null;
    if (text === basename(folder)) {
      // The folder itself was moved or removed: its watcher hears nothing any more.
      this.#drop(folder);
    }
    this.#options.onChange(folder, text);
  }

  #drop(folder: string): void {
    this.#watched.get(folder)?.close();
    this.#watched.delete(folder);
  }
}
