/**
 * `map` for asynchronous work, one item after another: a project may have thousands of files, and reading them all at
 * once would cost memory and file handles that a background worker should leave to others.
 */
export async function inOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const item of items) {
    results.push(await work(item));
  }
  return results;
}
