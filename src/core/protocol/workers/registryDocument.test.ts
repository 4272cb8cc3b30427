import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damaged, jsonValue, registryOf } from '../../../../test/support/protocolArbitraries';
import { documentExample } from '../../../../test/support/documentExample';
import {
  emptyRegistryDocument,
  entriesOf,
  formatRegistryDocument,
  readRegistryDocument,
  type RegistryDocument,
} from './registryDocument';
import type { RegistryRow } from './registryRow';

const ID = 'wkr-20260301-143022-consolidate';
const GOOD = { worker_id: ID, type: 'consolidate', status: 'running', started_at: '2026-03-01T14:30:22Z' };

function read(value: unknown): RegistryDocument {
  const reading = readRegistryDocument(typeof value === 'string' ? value : JSON.stringify(value));
  if (reading.kind !== 'ok') {
    throw new Error(JSON.stringify(reading));
  }
  return reading.document;
}

function rowOf(raw: unknown): RegistryRow | undefined {
  return read({ workers: [raw] }).rows[0];
}

describe('registry.json', () => {
  it('is read and written back exactly as in the document', () => {
    const text = documentExample('registry.json');
    expect(formatRegistryDocument(read(text))).toBe(text);
  });

  it('starts empty with the three keys of the protocol', () => {
    expect(formatRegistryDocument(emptyRegistryDocument(3))).toBe(
      '{\n  "version": "1.0",\n  "max_concurrent": 3,\n  "workers": []\n}\n',
    );
  });

  it('loses nothing between writing and reading: entries, their order, foreign keys, bad rows', () => {
    fc.assert(
      fc.property(registryOf(), (document) => {
        const text = formatRegistryDocument(document);
        const again = read(text);
        expect(formatRegistryDocument(again)).toBe(text);
        expect(entriesOf(again)).toEqual(entriesOf(document));
        expect(again.extra).toEqual(document.extra);
      }),
    );
  });

  it('never makes a reader throw, and is never taken for empty when it is broken', () => {
    fc.assert(
      fc.property(damaged(registryOf().map(formatRegistryDocument)), (text) => {
        const reading = readRegistryDocument(text);
        if (reading.kind === 'ok') {
          expect(() => readRegistryDocument(formatRegistryDocument(reading.document))).not.toThrow();
        } else if (reading.kind === 'corrupt') {
          expect(reading.reason).toMatch(/^registry\.json /);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps any JSON value in its list as a row and writes a bad one back unchanged', () => {
    fc.assert(
      fc.property(fc.array(jsonValue), (raws) => {
        const { workers } = JSON.parse(formatRegistryDocument(read({ workers: raws }))) as { workers: unknown[] };
        expect(workers).toEqual(raws);
      }),
    );
  });

  it('marks one bad entry and reads the others', () => {
    const document = read({ workers: [GOOD, { ...GOOD, worker_id: `${ID}-2`, retry_count: -1 }, 'x'] });
    expect(document.rows.map((row) => (row.kind === 'bad' ? [row.workerId, row.reason] : row.entry.worker_id))).toEqual(
      [ID, [`${ID}-2`, 'retry_count must be a whole number'], [null, 'the entry is not a JSON object']],
    );
  });

  it.each([
    [{ ...GOOD, worker_id: '../../etc' }, 'worker_id is no worker id'],
    [{ ...GOOD, worker_id: 7 }, 'worker_id is missing or not text'],
    [{ ...GOOD, status: 'sleeping' }, 'status "sleeping" is no status word of the protocol'],
    [{ ...GOOD, status: 3 }, 'status 3 is no status word of the protocol'],
    [{ ...GOOD, started_at: undefined }, 'started_at is missing or not text'],
    [{ ...GOOD, started_at: 'yesterday' }, 'started_at is no time'],
    [{ ...GOOD, completed_at: 'soon' }, 'completed_at is no time'],
    [{ ...GOOD, model: [] }, 'model must be text'],
    [{ ...GOOD, retry_count: 'two' }, 'retry_count must be a whole number'],
  ])('says why an entry is bad: %#', (raw, reason) => {
    expect(rowOf(raw)).toMatchObject({ kind: 'bad', reason });
  });

  it('fills in what a sloppy writer left out, and folds its words', () => {
    const sloppy = {
      worker_id: ID,
      status: 'In Progress',
      started_at: '2026-03-01 16:30:22.5+02:00',
      retry_count: '1',
    };
    expect(rowOf(sloppy)).toEqual({
      kind: 'entry',
      entry: {
        worker_id: ID,
        type: 'consolidate',
        status: 'running',
        model: 'sonnet',
        started_at: '2026-03-01T14:30:22Z',
        completed_at: null,
        output_dir: `.keysarium/workers/${ID}/`,
        retry_count: 1,
        extra: {},
      },
    });
  });

  it('reads active_workers as workers, and leaves a count of that name alone', () => {
    expect(read({ active_workers: [GOOD] }).rows).toHaveLength(1);
    expect(read({ workers: [], active_workers: [GOOD] }).extra).toEqual({});
    expect(read({ workers: [GOOD], active_workers: 1 }).extra).toEqual({ active_workers: 1 });
  });

  it('lets the later of two entries with one id count, in the place of the first', () => {
    const other = { ...GOOD, worker_id: 'wkr-20260301-143023-health-check' };
    const document = read({ workers: [GOOD, other, { ...GOOD, status: 'completed' }] });
    expect(entriesOf(document).map((entry) => [entry.worker_id, entry.status])).toEqual([
      [ID, 'completed'],
      [other.worker_id, 'running'],
    ]);
  });

  it('keeps a broken twin of an entry, but not its claim to the id', () => {
    const broken = { ...GOOD, status: 1 };
    expect(read({ workers: [broken, GOOD, broken] }).rows).toMatchObject([
      { kind: 'bad', workerId: null, raw: broken },
      { kind: 'entry' },
      { kind: 'bad', workerId: null, raw: broken },
    ]);
  });

  it.each([
    [undefined, 3],
    [0, 3],
    [-2, 3],
    [2.5, 3],
    ['x', 3],
    ['5', 5],
    [8, 8],
  ])('takes max_concurrent %j as %i', (max_concurrent, expected) => {
    expect(read({ max_concurrent, workers: [] }).maxConcurrent).toBe(expected);
  });

  it.each([
    ['2.0', '2.0'],
    [2, '2'],
    ['1.5-beta', '1.5-beta'],
    [{ a: 1 }, '{"a":1}'],
  ])('is of a version that is not written: %j', (version, shown) => {
    expect(readRegistryDocument(JSON.stringify({ version, workers: [] }))).toEqual({
      kind: 'unsupported',
      version: shown,
    });
  });

  it('keeps a version 1.x as it stands', () => {
    expect(read({ version: '1.7' }).version).toBe('1.7');
    expect(read({}).version).toBe('1.0');
  });

  it.each([
    ['', 'registry.json is empty'],
    ['[]', 'registry.json is not a JSON object'],
    ['{"workers": [', 'registry.json is not valid JSON; it may be cut off or still being written'],
    ['{"workers": {}}', 'registry.json has a `workers` that is no list'],
    [`{"workers": [${'0,'.repeat(50_000)}0]}`, 'registry.json lists more than 50000 workers'],
    [`{"workers": ["${'x'.repeat(10 * 1024 * 1024)}"]}`, 'registry.json is larger than 8 MiB'],
  ])('says why it is corrupt: %#', (text, reason) => {
    expect(readRegistryDocument(text)).toEqual({ kind: 'corrupt', reason });
  });
});
