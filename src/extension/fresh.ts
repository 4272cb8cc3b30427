import type { ShownRoot } from '../core/presenter/shownRoot';

/** What remembers for a workspace; the part of `vscode.Memento` that is needed here. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: readonly string[]): PromiseLike<void>;
}

/** Something that is told once, together with the root that it belongs to. `id` is its own for ever. */
export interface Told<T> {
  readonly root: string;
  readonly id: string;
  readonly what: T;
}

/**
 * Remembers for the workspace what was told, so that each thing is told once, also when it happened while the window was
 * away. What was so before the window ever saw the workspace stays quiet: the tree shows it.
 */
export class Fresh<T> {
  readonly #memory: Memory;
  readonly #key: string;
  readonly #among: (snapshot: ShownRoot) => readonly Omit<Told<T>, 'root'>[];
  #known: ReadonlySet<string> | null;

  constructor(memory: Memory, key: string, among: (snapshot: ShownRoot) => readonly Omit<Told<T>, 'root'>[]) {
    this.#memory = memory;
    this.#key = key;
    this.#among = among;
    const remembered = memory.get(key);
    this.#known = Array.isArray(remembered) ? new Set(remembered.map(String)) : null;
  }

  /** Those that are to be told now. */
  take(snapshots: readonly ShownRoot[]): readonly Told<T>[] {
    const all = snapshots.flatMap((snapshot) => this.#spoken(snapshot));
    const known = this.#known;
    const fresh = known === null ? [] : all.filter(({ id }) => !known.has(id));
    if (known === null || fresh.length > 0) {
      this.#known = new Set(all.map(({ id }) => id));
      void this.#memory.update(this.#key, [...this.#known]);
    }
    return fresh;
  }

  #spoken(snapshot: ShownRoot): readonly Told<T>[] {
    const { root, leader } = snapshot;
    // Of several windows on one root the leading one speaks; where nobody leads, each window speaks for itself.
    const speaks = leader === null || leader.self;
    return speaks ? this.#among(snapshot).map((one) => ({ ...one, root })) : [];
  }
}
