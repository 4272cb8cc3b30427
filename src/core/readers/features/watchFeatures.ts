import type { Disposable } from '../../base/disposable';
import { errorText } from '../../base/errorText';
import type { Logger } from '../../base/logger';
import { FolderWatches } from '../folderWatches';

/** Locks are never touched, and what is being written comes again under its own name. */
const NOISE = /\.(?:lock|tmp|bak)$/;

export interface FeatureWatch extends Disposable {
  /** Watches exactly these folders; others are let go. */
  setFolders(folders: readonly string[]): void;
}

export interface FeatureWatchOptions {
  readonly logger: Logger;
  readonly onHint: () => void;
}

/** Watches the folders of feature runs. It is only a hint: whoever uses it also looks by itself. */
export function watchFeatures({ logger, onHint }: FeatureWatchOptions): FeatureWatch {
  const watches = new FolderWatches({
    onChange: (_folder, name) => {
      if (name === null || !NOISE.test(name)) {
        onHint();
      }
    },
    onError: (error) => {
      logger.warn('The watcher of the feature runs failed; changes are still found by looking once a second.', {
        reason: errorText(error),
      });
    },
  });
  return {
    setFolders(folders) {
      watches.set(new Set(folders));
    },
    dispose() {
      watches.dispose();
    },
  };
}
