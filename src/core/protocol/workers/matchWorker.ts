/** What a person's text means among the workers that there are. */
export type WorkerMatch =
  | { readonly kind: 'found'; readonly workerId: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'ambiguous'; readonly workerIds: readonly string[] };

/** Finds a worker by its exact id or a unique prefix of it (workers.md §3). */
export function matchWorker(text: string, workerIds: readonly string[]): WorkerMatch {
  const wanted = text.trim();
  const matches = wanted === '' ? [] : workerIds.filter((id) => id.startsWith(wanted));
  const [first] = matches;
  if (first === undefined) {
    return { kind: 'none' };
  }
  const exact = matches.includes(wanted) ? wanted : null;
  return exact === null && matches.length > 1
    ? { kind: 'ambiguous', workerIds: matches }
    : { kind: 'found', workerId: exact ?? first };
}
