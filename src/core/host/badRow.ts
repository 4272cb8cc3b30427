import type { RegistryEntry } from '../protocol/workers/registryEntry';
import type { RegistryRow } from '../protocol/workers/registryRow';

/** A stand-in entry for the registry row at `index` that cannot be read, so that the row is shown with its reason. */
export function entryOfBadRow(row: Extract<RegistryRow, { kind: 'bad' }>, index: number): RegistryEntry {
  return {
    worker_id: row.workerId ?? `entry ${String(index + 1)}`,
    type: 'unreadable',
    status: 'unknown',
    model: 'none',
    started_at: '',
    completed_at: null,
    output_dir: '',
    retry_count: 0,
    extra: {},
  };
}
