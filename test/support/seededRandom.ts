/** Random decisions that can be made again: the same seed gives the same ones, in the same order. */
export interface SeededRandom {
  readonly seed: number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** Seeded from ROLLCALL_SEED or the clock; tests print the seed, so that a failure can be repeated. */
export function seededRandom(seed = Number(process.env['ROLLCALL_SEED'] ?? Date.now() % 1_000_000)): SeededRandom {
  let state = seed >>> 0;
  // The generator "mulberry32": small, and good enough to choose what to do next.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { seed, below, pick: (items) => items[below(items.length)] ?? items[0] };
}
