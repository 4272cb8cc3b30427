import { wholeNumber } from './wholeNumber';
import { parseLooseJson } from './looseJson';
import { foreignKeys, plainRecord } from './plainRecord';
import type { RegistryEntry } from './registryEntry';
import { readRegistryRow, type RegistryRow } from './registryRow';
import { REGISTRY_MAX_BYTES } from './sizeLimits';

export { REGISTRY_MAX_BYTES };

/** How many workers may be active where the registry does not say (workers.md §3). */
export const DEFAULT_MAX_CONCURRENT = 3;

/** registry.json after tolerant reading; `extra` holds the top-level keys that others added. */
export interface RegistryDocument {
  readonly version: string;
  readonly maxConcurrent: number;
  readonly rows: readonly RegistryRow[];
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What a registry.json holds. `reason` is one plain sentence. */
export type RegistryReading =
  | { readonly kind: 'ok'; readonly document: RegistryDocument }
  | { readonly kind: 'corrupt'; readonly reason: string }
  | { readonly kind: 'unsupported'; readonly version: string };

/** More rows than any project has; without an end to them a hostile file could keep a window busy for minutes. */
const MAX_ROWS = 50_000;

/** A registry without workers, as a first start creates it. */
export function emptyRegistryDocument(maxConcurrent: number = DEFAULT_MAX_CONCURRENT): RegistryDocument {
  return { version: '1.0', maxConcurrent, rows: [], extra: {} };
}

/**
 * Reads registry.json tolerantly (workers.md §1, §4.11, §4.15): a bad entry marks its row only, a file that is no
 * registry is `corrupt` and never empty, and a version other than 1.x is `unsupported`. Never throws.
 *
 * Where two entries have one id the later one counts, in the place of the first.
 */
export function readRegistryDocument(content: string): RegistryReading {
  if (content.length > REGISTRY_MAX_BYTES) {
    return corrupt('is larger than 8 MiB');
  }
  const parsed = parseLooseJson(content);
  if (!parsed.ok) {
    return corrupt(parsed.error);
  }
  const record = plainRecord(parsed.value);
  if (record === null) {
    return corrupt('is not a JSON object');
  }
  const version = versionOf(record['version']);
  if (!/^1(?:\.\d+)*$/.test(version)) {
    return { kind: 'unsupported', version };
  }
  const { workers, active_workers: active } = record;
  if (workers !== undefined && workers !== null && !Array.isArray(workers)) {
    return corrupt('has a `workers` that is no list');
  }
  // A model may write a count there; only a list is the synonym of `workers`.
  const raws = [...listOf(workers), ...listOf(active)];
  return raws.length > MAX_ROWS
    ? corrupt(`lists more than ${String(MAX_ROWS)} workers`)
    : { kind: 'ok', document: documentOf(record, version, raws) };
}

/**
 * The text of registry.json exactly as the protocol writes it: `version`, `max_concurrent`, `workers`, then the keys
 * of others; eight keys per entry, then its own; bad rows as they were read.
 */
export function formatRegistryDocument(document: RegistryDocument): string {
  const { version, maxConcurrent, rows, extra } = document;
  const workers = rows.map((row) => (row.kind === 'entry' ? writtenEntry(row.entry) : row.raw));
  return `${JSON.stringify({ version, max_concurrent: maxConcurrent, workers, ...extra }, null, 2)}\n`;
}

/** The entries of a registry that can be understood, in its order. */
export function entriesOf(document: RegistryDocument): readonly RegistryEntry[] {
  return document.rows.flatMap((row) => (row.kind === 'entry' ? [row.entry] : []));
}

function corrupt(reason: string): RegistryReading {
  return { kind: 'corrupt', reason: `registry.json ${reason}` };
}

function versionOf(raw: unknown): string {
  if (raw === undefined || raw === null || raw === 1) {
    return '1.0';
  }
  return typeof raw === 'string' ? raw.trim().slice(0, 60) : JSON.stringify(raw).slice(0, 60);
}

function documentOf(
  record: Readonly<Record<string, unknown>>,
  version: string,
  raws: readonly unknown[],
): RegistryDocument {
  const { active_workers: active } = record;
  const synonym = Array.isArray(active) || active === null ? ['active_workers'] : [];
  return {
    version,
    maxConcurrent: limitOf(record['max_concurrent']),
    rows: uniqueRows(raws.map(readRegistryRow)),
    extra: foreignKeys(record, ['version', 'max_concurrent', 'workers', ...synonym]),
  };
}

function limitOf(raw: unknown): number {
  const limit = wholeNumber(raw) ?? 0;
  return limit >= 1 ? limit : DEFAULT_MAX_CONCURRENT;
}

function listOf(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? (raw as readonly unknown[]) : [];
}

/** One row per id: later entries replace earlier ones, and a bad row whose id another row has is kept without it. */
function uniqueRows(rows: readonly RegistryRow[]): readonly RegistryRow[] {
  const entries = new Map<string, RegistryEntry>();
  for (const row of rows) {
    if (row.kind === 'entry') {
      entries.set(row.entry.worker_id, row.entry);
    }
  }
  const taken = new Set<string>();
  return rows.flatMap((row): readonly RegistryRow[] => {
    const id = row.kind === 'entry' ? row.entry.worker_id : row.workerId;
    const repeated = id !== null && taken.has(id);
    if (row.kind === 'entry') {
      taken.add(row.entry.worker_id);
      const entry = entries.get(row.entry.worker_id) ?? row.entry;
      return repeated ? [] : [{ kind: 'entry', entry }];
    }
    if (id !== null && !repeated && !entries.has(id)) {
      taken.add(id);
      return [row];
    }
    return [{ ...row, workerId: null }];
  });
}

function writtenEntry(entry: RegistryEntry): object {
  const { worker_id, type, status, model, started_at, completed_at, output_dir, retry_count, extra } = entry;
  return { worker_id, type, status, model, started_at, completed_at, output_dir, retry_count, ...extra };
}
