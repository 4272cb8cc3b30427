import type { RegistryDocument } from './registryDocument';
import type { RegistryEntry } from './registryEntry';
import type { RegistryRow } from './registryRow';

/** `base` is what we read, `ours` what we made of it, `theirs` what the file holds now. */
export interface RegistryVersions {
  readonly base: RegistryDocument;
  readonly ours: RegistryDocument;
  readonly theirs: RegistryDocument;
}

/**
 * Joins our changes with those that others made meanwhile (workers.md §4.10). Rows are matched by worker id, bad ones
 * without an id by their content. The rules:
 * - a field that we changed is ours, every other one theirs; the same for each unknown key, in entries and at the top;
 * - a row that we took out goes, unless someone changed it meanwhile;
 * - a row that vanished from theirs comes back only if we added or changed it, otherwise its removal stands;
 * - rows keep their order, what we add stands at the end.
 */
export function mergeRegistry({ base, ours, theirs }: RegistryVersions): RegistryDocument {
  return {
    version: pick(base.version, ours.version, theirs.version),
    maxConcurrent: pick(base.maxConcurrent, ours.maxConcurrent, theirs.maxConcurrent),
    rows: mergeRows(rowsByKey(base), rowsByKey(ours), rowsByKey(theirs)),
    extra: mergeKeys(base.extra, ours.extra, theirs.extra),
  };
}

type Rows = ReadonlyMap<string, RegistryRow>;

function mergeRows(base: Rows, ours: Rows, theirs: Rows): readonly RegistryRow[] {
  const stayed = [...theirs].flatMap(([key, row]) => {
    const merged = mergeRow(base.get(key), ours.get(key), row);
    return merged === null ? [] : [merged];
  });
  const added = [...ours].filter(([key, row]) => !theirs.has(key) && !same(base.get(key), row));
  return [...stayed, ...added.map(([, row]) => row)];
}

function mergeRow(
  base: RegistryRow | undefined,
  ours: RegistryRow | undefined,
  theirs: RegistryRow,
): RegistryRow | null {
  if (ours === undefined) {
    return base !== undefined && same(base, theirs) ? null : theirs;
  }
  if (ours.kind === 'entry' && theirs.kind === 'entry') {
    const before = base?.kind === 'entry' ? base.entry : null;
    return { kind: 'entry', entry: mergeEntry(before, ours.entry, theirs.entry) };
  }
  return same(base, ours) ? theirs : ours;
}

function mergeEntry(base: RegistryEntry | null, ours: RegistryEntry, theirs: RegistryEntry): RegistryEntry {
  return {
    worker_id: ours.worker_id,
    type: pick(base?.type, ours.type, theirs.type),
    status: pick(base?.status, ours.status, theirs.status),
    model: pick(base?.model, ours.model, theirs.model),
    started_at: pick(base?.started_at, ours.started_at, theirs.started_at),
    completed_at: pick(base?.completed_at, ours.completed_at, theirs.completed_at),
    output_dir: pick(base?.output_dir, ours.output_dir, theirs.output_dir),
    retry_count: pick(base?.retry_count, ours.retry_count, theirs.retry_count),
    extra: mergeKeys(base?.extra ?? {}, ours.extra, theirs.extra),
  };
}

type Keys = Readonly<Record<string, unknown>>;

function mergeKeys(base: Keys, ours: Keys, theirs: Keys): Keys {
  const merged = new Map(Object.entries(theirs));
  for (const [key, value] of Object.entries(ours)) {
    if (!same(base[key], value)) {
      merged.set(key, value);
    }
  }
  for (const key of Object.keys(base)) {
    if (!Object.hasOwn(ours, key) && same(base[key], theirs[key])) {
      merged.delete(key);
    }
  }
  return Object.fromEntries(merged);
}

function pick<T>(base: T | undefined, ours: T, theirs: T): T {
  return ours === base ? theirs : ours;
}

/** Values come from JSON, so equal text means equal value; another order of keys only costs a harmless rewrite. */
function same(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

/** Rows under keys that are the same in all three versions. Equal rows without an id are told apart by their number. */
function rowsByKey(document: RegistryDocument): Rows {
  const copies = new Map<string, number>();
  return new Map(
    document.rows.map((row) => {
      const id = row.kind === 'entry' ? row.entry.worker_id : row.workerId;
      const content = id ?? JSON.stringify(row);
      const copy = copies.get(content) ?? 0;
      copies.set(content, copy + 1);
      return [`${String(copy)} ${content}`, row] as const;
    }),
  );
}
