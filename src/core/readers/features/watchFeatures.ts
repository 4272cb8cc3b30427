import { basename } from 'node:path';
import { watch } from 'chokidar';
import type { Disposable } from '../../base/disposable';
import { errorText } from '../../base/errorText';
import type { Logger } from '../../base/logger';

/** Locks are never touched, and what is being written comes again under its own name. */
const NOISE = /\.(?:lock|tmp|bak)$/;

export interface FeatureWatch extends Disposable {
  /** Watches exactly these folders; others are let go. All of them exist. */
  setFolders(folders: readonly string[]): void;
}

export interface FeatureWatchOptions {
  readonly logger: Logger;
  readonly onHint: () => void;
}

/** Watches the folders of feature runs. It is only a hint: whoever uses it also looks by itself. */
export function watchFeatures({ logger, onHint }: FeatureWatchOptions): FeatureWatch {
  const watcher = watch([], {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => NOISE.test(basename(path)),
  });
  watcher.on('all', onHint);
  watcher.on('error', (error) => {
    logger.warn('The watcher of the feature runs failed; changes are still found by looking once a second.', {
      reason: errorText(error),
    });
  });
  let watched = new Set<string>();
  return {
    setFolders(folders) {
      const next = new Set(folders);
      watcher.add([...next].filter((folder) => !watched.has(folder)));
      watcher.unwatch([...watched].filter((folder) => !next.has(folder)));
      watched = next;
    },
    dispose() {
      void watcher.close();
    },
  };
}
