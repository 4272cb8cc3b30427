/** The rule line of every table: exactly 55 `═`. */
export const RULE = '═'.repeat(55);

/** Stands where there is nothing to say. */
export const NOTHING = '—';

/** One column: its title and the least width that it takes. */
export interface Column {
  readonly title: string;
  readonly width: number;
}

/**
 * Lines of a table. A column is as wide as its least width, or its longest value + 2 where that is more; the last one
 * is not padded. Widths count characters, not bytes.
 */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = columns.map(({ width }, at) => {
    const longest = rows.reduce((most, row) => Math.max(most, lengthOf(row[at] ?? '')), 0);
    return Math.max(width, longest + 2);
  });
  const titles = columns.map(({ title }) => title);
  return [titles, ...rows].map((cells) =>
    cells
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join('')
      .trimEnd(),
  );
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - lengthOf(cell)));
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
