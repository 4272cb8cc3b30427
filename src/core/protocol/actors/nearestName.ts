/** The name that is most like a misspelt one, or null where none is near: at most half of its letters may be wrong. */
export function nearestName(misspelt: string, names: readonly string[]): string | null {
  const word = misspelt.slice(0, 64).toLowerCase();
  let best: { readonly name: string; readonly edits: number } | null = null;
  for (const name of names) {
    const edits = editsBetween(word, name);
    if (edits * 2 <= Math.max(word.length, name.length) && edits < (best?.edits ?? Infinity)) {
      best = { name, edits };
    }
  }
  return best?.name ?? null;
}

/** How many letters must be put in, taken out or changed; two that changed places count as one. */
function editsBetween(from: string, to: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_none, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= to.length; at += 1) {
      const same = from[row - 1] === to[at - 1];
      const swapped = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      const changed = (last[at - 1] ?? 0) + (same ? 0 : 1);
      const moved = swapped ? (before[at - 2] ?? Infinity) + 1 : Infinity;
      next.push(Math.min((next[at - 1] ?? 0) + 1, (last[at] ?? 0) + 1, changed, moved));
    }
    before = last;
    last = next;
  }
  return last[to.length] ?? 0;
}
