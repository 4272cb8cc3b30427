import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryOf, registryOf, workerId } from '../../../../test/support/protocolArbitraries';
import { mergeRegistry } from './mergeRegistry';
import { entriesOf, readRegistryDocument, type RegistryDocument } from './registryDocument';
import type { RegistryEntry } from './registryEntry';

// Few ids, so that the three versions meet in the same rows.
const fewIds = fc.constantFrom(...[1, 2, 3, 4].map((second) => `wkr-20260301-14300${String(second)}-audit`));
const registry = registryOf(fewIds);

function withEntries(document: RegistryDocument, entries: readonly RegistryEntry[]): RegistryDocument {
  const bad = document.rows.filter((row) => row.kind === 'bad');
  return { ...document, rows: [...entries.map((entry) => ({ kind: 'entry' as const, entry })), ...bad] };
}

function changed(document: RegistryDocument, id: string, change: Partial<RegistryEntry>): RegistryDocument {
  return withEntries(
    document,
    entriesOf(document).map((entry) => (entry.worker_id === id ? { ...entry, ...change } : entry)),
  );
}

function read(...workers: readonly object[]): RegistryDocument {
  const reading = readRegistryDocument(JSON.stringify({ workers }));
  if (reading.kind !== 'ok') {
    throw new Error(reading.kind);
  }
  return reading.document;
}

const A = { worker_id: 'wkr-20260301-143022-audit', status: 'running', started_at: '2026-03-01T14:30:22Z' };
const B = { worker_id: 'wkr-20260301-143023-audit', status: 'running', started_at: '2026-03-01T14:30:23Z' };

describe('merging registries', () => {
  it('gives ours where nobody else wrote, and theirs where we changed nothing', () => {
    fc.assert(
      fc.property(registry, registry, (base, other) => {
        expect(
          entriesOf(mergeRegistry({ base, ours: other, theirs: base }))
            .map(idOf)
            .sort(),
        ).toEqual(entriesOf(other).map(idOf).sort());
        expect(mergeRegistry({ base, ours: base, theirs: other })).toEqual(other);
      }),
    );
  });

  it('keeps every entry, bad row and key that only others know, unchanged and in their order', () => {
    fc.assert(
      fc.property(registry, registry, registryOf(workerId), (base, ours, foreign) => {
        const merged = mergeRegistry({ base, ours, theirs: foreign });
        const ids = new Set(entriesOf(foreign).map(idOf));
        expect(entriesOf(merged).filter((entry) => ids.has(entry.worker_id))).toEqual(entriesOf(foreign));
        const known = Object.keys({ ...base.extra, ...ours.extra });
        for (const [key, value] of Object.entries(foreign.extra).filter(([name]) => !known.includes(name))) {
          expect(merged.extra[key]).toEqual(value);
        }
      }),
    );
  });

  it('adds what we added, also to what others added meanwhile', () => {
    fc.assert(
      fc.property(registryOf(), registryOf(), fc.array(entryOf(), { maxLength: 3 }), (base, theirs, added) => {
        const ours = withEntries(base, [...entriesOf(base), ...added]);
        const merged = entriesOf(mergeRegistry({ base, ours, theirs })).map(idOf);
        expect(merged).toEqual(expect.arrayContaining(added.map(idOf)));
        expect(new Set(merged).size).toBe(merged.length);
      }),
    );
  });

  it('joins two changes of one entry field by field', () => {
    const base = read({ ...A, note: 1 });
    const ours = changed(base, A.worker_id, { status: 'stop-requested' });
    const theirs = changed(base, A.worker_id, { retry_count: 1, extra: { note: 2, by: 'x' } });
    expect(entriesOf(mergeRegistry({ base, ours, theirs }))[0]).toMatchObject({
      status: 'stop-requested',
      retry_count: 1,
      extra: { note: 2, by: 'x' },
    });
  });

  it('takes out an unknown key that we took out, unless someone changed it meanwhile', () => {
    const base = { ...read(A), extra: { gone: 1, contested: 1, kept: 1 } };
    const ours = { ...base, extra: { kept: 1 } };
    const theirs = { ...base, extra: { ...base.extra, contested: 2 } };
    expect(mergeRegistry({ base, ours, theirs }).extra).toEqual({ contested: 2, kept: 1 });
  });

  it('lets our change of a field win over theirs', () => {
    const base = read(A);
    const ours = changed(base, A.worker_id, { status: 'completed' });
    const theirs = changed(base, A.worker_id, { status: 'unknown' });
    expect(entriesOf(mergeRegistry({ base, ours, theirs }))[0]?.status).toBe('completed');
  });

  it('takes out what we took out, unless someone changed it meanwhile', () => {
    const base = read(A, B);
    const ours = read(B);
    expect(entriesOf(mergeRegistry({ base, ours, theirs: base })).map(idOf)).toEqual([B.worker_id]);
    const theirs = changed(base, A.worker_id, { status: 'failed' });
    expect(entriesOf(mergeRegistry({ base, ours, theirs })).map(idOf)).toEqual([A.worker_id, B.worker_id]);
  });

  it('puts back a vanished entry that we changed, and lets go of one that we only read', () => {
    const base = read(A, B);
    const ours = changed(base, A.worker_id, { status: 'completed' });
    expect(entriesOf(mergeRegistry({ base, ours, theirs: read() })).map(idOf)).toEqual([A.worker_id]);
  });

  it('keeps bad rows, each as often as it stands there', () => {
    const base = read(A, { nonsense: 1 }, { nonsense: 1 });
    const ours = changed(base, A.worker_id, { status: 'completed' });
    const theirs = read(A, { nonsense: 1 }, { nonsense: 1 }, { nonsense: 2 });
    const { rows } = mergeRegistry({ base, ours, theirs });
    expect(rows.map((row) => (row.kind === 'bad' ? row.raw : row.entry.status))).toEqual([
      'completed',
      { nonsense: 1 },
      { nonsense: 1 },
      { nonsense: 2 },
    ]);
  });

  it('replaces an entry that someone broke only where we changed it', () => {
    const base = read(A);
    const broken = read({ ...A, status: 7 });
    expect(mergeRegistry({ base, ours: base, theirs: broken }).rows[0]?.kind).toBe('bad');
    const ours = changed(base, A.worker_id, { status: 'completed' });
    expect(mergeRegistry({ base, ours, theirs: broken }).rows).toMatchObject([
      { kind: 'entry', entry: { status: 'completed' } },
    ]);
  });

  it('is at rest after one merge', () => {
    fc.assert(
      fc.property(registry, registry, registry, (base, ours, theirs) => {
        const merged = mergeRegistry({ base, ours, theirs });
        expect(mergeRegistry({ base: theirs, ours: merged, theirs })).toEqual(merged);
      }),
    );
  });
});

function idOf(entry: RegistryEntry): string {
  return entry.worker_id;
}
