import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryOf } from '../../../../test/support/protocolArbitraries';
import { documentExample } from '../../../../test/support/documentExample';
import type { Progress, RegistryStatus } from './registryEntry';
import { statusTable, type StatusRow } from './statusTable';
import { formatTimestamp } from './timestamp';
import { makeWorkerId, outputDirOf } from './workerId';

function row(
  type: string,
  hms: readonly [number, number, number],
  status: RegistryStatus,
  progress: Progress | null,
): StatusRow {
  const at = Date.UTC(2026, 2, 1, ...hms);
  const worker_id = makeWorkerId(type, at);
  const entry = {
    worker_id,
    type,
    status,
    model: 'haiku',
    started_at: formatTimestamp(at),
    completed_at: null,
    output_dir: outputDirOf(worker_id),
    retry_count: 0,
    extra: {},
  };
  return { entry, progress };
}

const EXAMPLE = [
  row('consolidate', [14, 30, 22], 'running', { phase: 'scanning researches', items_processed: 3, total_items: 7 }),
  row('health-check', [14, 35, 0], 'completed', { phase: 'completed', items_processed: 6, total_items: 6 }),
  row('export-brain', [14, 40, 0], 'completed', { phase: 'completed', items_processed: 6, total_items: 6 }),
];

describe('the status table', () => {
  it('is the document’s to the letter, with the outputs of completed workers after it', () => {
    const outputs = [
      '',
      'Completed worker output:',
      '  wkr-20260301-143500-health-check → .keysarium/workers/wkr-20260301-143500-health-check/output/',
      '  wkr-20260301-144000-export-brain → .keysarium/workers/wkr-20260301-144000-export-brain/output/',
    ];
    expect(statusTable(EXAMPLE, 3)).toBe(documentExample('status-table.txt') + outputs.join('\n'));
  });

  it('has no list of outputs where nothing is completed', () => {
    expect(statusTable(EXAMPLE.slice(0, 1), 3)).toMatch(/Failed: 0\n═{55}$/);
  });

  it('is one sentence before the first start', () => {
    expect(statusTable([], 3)).toBe('No workers have been started yet.');
  });

  it('counts starting and running as active', () => {
    const statuses = ['starting', 'running', 'stop-requested', 'unknown', 'failed', 'completed'] as const;
    const rows = statuses.map((status, second) => row('audit', [1, 1, second], status, null));
    expect(statusTable(rows, 5)).toContain('\nActive: 2/5 | Completed: 1 | Failed: 1\n');
  });

  it('widens a column to its longest value and two blanks', () => {
    const type = 'quarterly-dependency-and-licence-audit';
    const lines = statusTable([row(type, [14, 30, 22], 'stop-requested', null)], 3).split('\n');
    const cells = [`wkr-20260301-143022-${type}  `, `${type}  `, 'stop-requested  ', '—                ', '14:30:22'];
    expect(lines[5]).toBe(cells.join(''));
    expect(lines[4]?.indexOf('Status')).toBe(lines[5]?.indexOf('stop-requested'));
  });

  it('shows the UTC second of the start', () => {
    const entry = { ...row('audit', [0, 0, 0], 'running', null).entry, started_at: '2026-03-02T00:30:00+02:00' };
    expect(statusTable([{ entry, progress: null }], 3)).toContain('22:30:00');
  });

  it('has one line per worker, whatever the files say', () => {
    const progress = fc.record({
      phase: fc.option(fc.string({ unit: 'binary' })),
      items_processed: fc.nat(),
      total_items: fc.option(fc.integer({ min: 1 })),
    });
    const anyType = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.array(fc.tuple(entryOf(), anyType, progress), { minLength: 1 }), (given) => {
        const rows = given.map(([entry, type, shown]) => ({ entry: { ...entry, type }, progress: shown }));
        const completed = rows.filter(({ entry }) => entry.status === 'completed').length;
        const table = statusTable(rows, 3);
        expect(table.split('\n')).toHaveLength(8 + rows.length + (completed === 0 ? 0 : completed + 2));
        expect(table).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F\u202E]/);
      }),
    );
  });
});
