import * as fc from 'fast-check';
import type { RegistryDocument } from '../../src/core/protocol/workers/registryDocument';
import type {
  Progress,
  RegistryEntry,
  RegistryStatus,
  StatusDocument,
  StatusWord,
} from '../../src/core/protocol/workers/registryEntry';
import type { RegistryRow } from '../../src/core/protocol/workers/registryRow';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { makeWorkerId, outputDirOf } from '../../src/core/protocol/workers/workerId';

const ENTRY_KEYS = 'worker_id type status model started_at completed_at output_dir retry_count'.split(' ');
const TOP_KEYS = 'version max_concurrent workers active_workers'.split(' ');

export const statusWords: readonly StatusWord[] = [
  'starting',
  'running',
  'completing',
  'completed',
  'failed',
  'stop-requested',
  'stopped',
];

export const registryStatus = fc.constantFrom<RegistryStatus>(...statusWords, 'unknown');

/** Whole seconds between 2000 and 2099, as the protocol can write them. */
export const instant = fc.integer({ min: 946_684_800, max: 4_102_444_799 }).map((seconds) => seconds * 1000);

export const typeName = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}$/);

export const workerId = fc.tuple(typeName, instant).map(([type, at]) => makeWorkerId(type, at));

/** A JSON value as it comes out of a file: without the keys that every reader drops, without minus zero. */
export const jsonValue = fc
  .jsonValue({ maxDepth: 3 })
  .map((value): unknown => JSON.parse(JSON.stringify(value)))
  .filter((value) => !/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value)));

function extraKeys(known: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const key = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => !known.includes(name) && !isUnsafe(name));
  return fc.dictionary(key, fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)), {
    maxKeys: 3,
    noNullPrototype: true,
  });
}

function isUnsafe(name: string): boolean {
  return ['__proto__', 'constructor', 'prototype'].includes(name);
}

export function entryOf(id: fc.Arbitrary<string> = workerId): fc.Arbitrary<RegistryEntry> {
  return fc
    .record({
      worker_id: id,
      type: typeName,
      status: registryStatus,
      model: fc.constantFrom('haiku', 'sonnet', 'none'),
      started_at: instant.map(formatTimestamp),
      completed_at: fc.option(instant.map(formatTimestamp)),
      retry_count: fc.integer({ min: 0, max: 5 }),
      extra: extraKeys(ENTRY_KEYS),
    })
    .map((entry) => ({ ...entry, output_dir: outputDirOf(entry.worker_id) }));
}

const badRow: fc.Arbitrary<RegistryRow> = fc
  .oneof(fc.integer(), fc.string(), fc.constant(null), fc.record({ worker_id: fc.constant('../../etc') }))
  .map((raw) => ({ kind: 'bad', workerId: null, reason: 'planted', raw }));

/** A registry as reading one gives it: every id once. */
export function registryOf(id: fc.Arbitrary<string> = workerId): fc.Arbitrary<RegistryDocument> {
  const entries = fc.uniqueArray(entryOf(id), { selector: (entry) => entry.worker_id, maxLength: 6 });
  return fc
    .record({
      maxConcurrent: fc.integer({ min: 1, max: 20 }),
      entries,
      bad: fc.array(badRow, { maxLength: 2 }),
      extra: extraKeys(TOP_KEYS),
    })
    .map(({ maxConcurrent, entries: read, bad, extra }) => {
      const rows = read.map((entry): RegistryRow => ({ kind: 'entry', entry }));
      return { version: '1.0', maxConcurrent, rows: [...rows, ...bad], extra };
    });
}

const progress: fc.Arbitrary<Progress> = fc.record({
  phase: fc.option(fc.string({ minLength: 1 }).filter((phase) => phase.trim() !== '')),
  items_processed: fc.nat(),
  total_items: fc.option(fc.integer({ min: 1 })),
});

export const statusDocument: fc.Arbitrary<StatusDocument> = fc.record({
  worker_id: fc.option(workerId),
  type: fc.option(typeName),
  status: fc.constantFrom(...statusWords),
  started_at: fc.option(instant.map(formatTimestamp)),
  completed_at: fc.option(instant.map(formatTimestamp)),
  progress: fc.option(progress),
  error: fc.option(fc.string({ minLength: 1 })),
});

/** Text that a torn write, a model or an enemy may leave where `valid` should stand. */
export function damaged(valid: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const torn = fc.tuple(valid, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1)));
  const spliced = fc
    .tuple(valid, fc.nat(), fc.nat({ max: 20 }), fc.string({ unit: 'binary' }))
    .map(([text, at, gone, put]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + put + text.slice(start + gone);
    });
  const swapped = fc.tuple(
    valid,
    fc.constantFrom('"', '{', '[', '1', 'null', ',', '//', '/*', '\\', '```\n', '\uFEFF'),
  );
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    torn,
    spliced,
    swapped.map(([text, token]) => text.replaceAll(',', token)),
  );
}
