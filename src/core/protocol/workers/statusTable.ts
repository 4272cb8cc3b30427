import { displayText } from './displayText';
import { progressText } from './progressText';
import type { Progress, RegistryEntry, RegistryStatus } from './registryEntry';
import { isActive } from './statusWord';
import { NOTHING, RULE, tableLines } from './textTable';
import { formatTimestamp, parseTimestamp } from './timestamp';
import { outputDirOf } from './workerId';
import { nothingYetText } from './workerTexts';

/** What the status table shows of one worker; a `WorkerSnapshot` is one. */
export interface StatusRow {
  readonly entry: RegistryEntry;
  readonly progress: Progress | null;
}

const COLUMNS = [
  { title: 'ID', width: 38 },
  { title: 'Type', width: 14 },
  { title: 'Status', width: 12 },
  { title: 'Progress', width: 17 },
  { title: 'Started', width: 0 },
];

/**
 * The document's status table with its footer, then the outputs of completed workers; rows in the given order. Without
 * rows it is the sentence for that. No final newline.
 */
export function statusTable(rows: readonly StatusRow[], maxConcurrent: number): string {
  if (rows.length === 0) {
    return nothingYetText;
  }
  const table = tableLines(COLUMNS, rows.map(cellsOf));
  const head = [RULE, 'Background Workers Status', RULE, ''];
  return [...head, ...table, '', footer(rows, maxConcurrent), RULE, ...outputLines(rows)].join('\n');
}

function cellsOf({ entry, progress }: StatusRow): readonly string[] {
  const startedMs = parseTimestamp(entry.started_at);
  const started = startedMs === null ? NOTHING : formatTimestamp(startedMs).slice(11, 19);
  return [displayText(entry.worker_id), displayText(entry.type), entry.status, progressText(entry, progress), started];
}

function footer(rows: readonly StatusRow[], maxConcurrent: number): string {
  const active = rows.filter(({ entry }) => isActive(entry.status)).length;
  const count = (status: RegistryStatus): string => String(rows.filter(({ entry }) => entry.status === status).length);
  return `Active: ${String(active)}/${String(maxConcurrent)} | Completed: ${count('completed')} | Failed: ${count('failed')}`;
}

function outputLines(rows: readonly StatusRow[]): readonly string[] {
  const completed = rows.filter(({ entry }) => entry.status === 'completed');
  const lines = completed.map(({ entry }) => {
    const id = displayText(entry.worker_id);
    return `  ${id} → ${outputDirOf(id)}output/`;
  });
  return lines.length === 0 ? [] : ['', 'Completed worker output:', ...lines];
}
