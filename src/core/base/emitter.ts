import { toDisposable, type Disposable } from './disposable';

/** A subscription point with the call shape of `vscode.Event`. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * Broadcasts values to listeners in the order of subscription. A listener that throws is reported to `onError` and
 * never keeps the others from hearing.
 */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    const own = (value: T): void => {
      listener(value);
    };
    this.#listeners.add(own);
    return toDisposable(() => this.#listeners.delete(own));
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
