import { type Bar, type BenchRow, ratioOf, verdictOf } from './bench';

const HEADERS = ['what', 'ours', 'reference', 'ratio', 'bar', 'verdict'] as const;

/** The rows as a table for a terminal, the notes below it. */
export function benchTable(rows: readonly BenchRow[]): string {
  const cells = [HEADERS, ...rows.map(cellsOf)];
  const widths = HEADERS.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  const notes = rows.flatMap(({ title, note }) => (note === null ? [] : [`${title}: ${note}`]));
  return [...lines.map((line) => line.trimEnd()), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

function cellsOf(row: BenchRow): readonly string[] {
  const { title, unit, value, reference, bars } = row;
  const ratio = ratioOf(row);
  return [
    title,
    `${figure(value)} ${unit}`,
    reference === null ? '–' : `${figure(reference.value)} ${unit} (${reference.title})`,
    ratio === null ? '–' : `${ratio.toFixed(2)}×`,
    bars.length === 0 ? '–' : bars.map((bar) => barText(bar, unit)).join(', '),
    verdictOf(row),
  ];
}

function barText({ of, limit, least }: Bar, unit: string): string {
  return `${least === true ? '≥' : '≤'} ${String(limit)}${of === 'ratio' ? '×' : ` ${unit}`}`;
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
