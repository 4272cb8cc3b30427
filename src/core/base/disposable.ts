/** Something that can be ended once; the same shape as `vscode.Disposable`. */
export interface Disposable {
  dispose(): void;
}

/** Wraps a function so that it runs at the first `dispose()` and never again. */
export function toDisposable(end: () => void): Disposable {
  let ended = false;
  return {
    dispose() {
      if (!ended) {
        ended = true;
        end();
      }
    },
  };
}

/**
 * Owns disposables and ends them together, newest first. What is added after the end is ended at once,
 * so a late registration cannot leak.
 */
export class DisposableStore implements Disposable {
  #owned: Disposable[] = [];
  #ended = false;

  /** Takes ownership of `item` and gives it back for use. */
  add<T extends Disposable>(item: T): T {
    if (this.#ended) {
      item.dispose();
    } else {
      this.#owned.push(item);
    }
    return item;
  }

  dispose(): void {
    this.#ended = true;
    const owned = this.#owned.reverse();
    this.#owned = [];
    for (const item of owned) {
      item.dispose();
    }
  }
}
