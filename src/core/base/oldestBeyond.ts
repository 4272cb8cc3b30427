/**
 * The key that came first, where there are more than `most` of them. A map walks over all that was deleted before it
 * finds its first key, so it is not asked for less.
 */
export function oldestBeyond<K>(keys: ReadonlyMap<K, unknown> | ReadonlySet<K>, most: number): K | undefined {
  if (keys.size <= most) {
    return undefined;
  }
  const [oldest] = keys.keys();
  return oldest;
}
