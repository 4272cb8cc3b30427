const COMPLETE = /^(?:✅|☑|\[x\])|\b(?:complete|completed|done)\b/i;
const OPEN = /^(?:⬜|⏳|🔄|❌|☐|\[ \])|\b(?:pending|todo|in[ _-]progress|blocked|failed|not started|incomplete)\b/i;

/**
 * How many rows of a project's `PROGRESS.md` are done: rows of a table with a cell that says so, or check boxes. Null
 * where there are none. It belongs to no feature (features.md §1).
 */
export function readProjectProgress(text: string): { readonly complete: number; readonly total: number } | null {
  const states = text.split('\n').flatMap((line) => stateOf(line.trim()) ?? []);
  return states.length === 0
    ? null
    : { complete: states.filter((state) => state === 'complete').length, total: states.length };
}

function stateOf(line: string): 'complete' | 'open' | null {
  const box = /^[-*] (\[[ xX]\])/.exec(line)?.[1];
  if (box !== undefined) {
    return box === '[ ]' ? 'open' : 'complete';
  }
  return line.startsWith('|') ? stateOfRow(line.split('|').map((cell) => cell.trim())) : null;
}

function stateOfRow(cells: readonly string[]): 'complete' | 'open' | null {
  // Only a short cell is a status; a title may hold any word.
  const short = cells.filter((cell) => cell !== '' && cell.length <= 20 && !/^(?:status|state)$/i.test(cell));
  if (short.some((cell) => OPEN.test(cell))) {
    return 'open';
  }
  return short.some((cell) => COMPLETE.test(cell)) ? 'complete' : null;
}
