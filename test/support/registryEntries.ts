import type { RegistryDocument } from '../../src/core/protocol/workers/registryDocument';
import type { RegistryEntry } from '../../src/core/protocol/workers/registryEntry';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { makeWorkerId, outputDirOf } from '../../src/core/protocol/workers/workerId';

const FIRST = Date.UTC(2026, 2, 1, 14, 30, 22);

/** The `number`-th running worker of a type: each number has its own second. */
export function entryNumber(type: string, number: number): RegistryEntry {
  const startedAt = FIRST + number * 1000;
  const workerId = makeWorkerId(type, startedAt);
  return {
    worker_id: workerId,
    type,
    status: 'running',
    model: 'haiku',
    started_at: formatTimestamp(startedAt),
    completed_at: null,
    output_dir: outputDirOf(workerId),
    retry_count: 0,
    extra: {},
  };
}

/** The document with that worker at its end. */
export function withEntry(document: RegistryDocument, type: string, number: number): RegistryDocument {
  return { ...document, rows: [...document.rows, { kind: 'entry', entry: entryNumber(type, number) }] };
}
