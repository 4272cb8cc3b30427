/** Remembers the newest entries, at least `most` of them and at most twice as many, each in the same time. */
export class RecentMap<K, V> {
  readonly #most: number;
  #newer = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(key: K, value: V): void {
    this.#newer.set(key, value);
    if (this.#newer.size >= this.#most) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
  }
}
