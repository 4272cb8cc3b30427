/** Every object and list in `root`, itself included, with how deep it lies; `root` lies at 1. Never overflows the stack. */
export function* nestedIn(root: unknown): Generator<{ readonly value: object; readonly depth: number }> {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) {
      continue;
    }
    yield { value, depth };
    for (const child of Object.values(value) as unknown[]) {
      open.push({ value: child, depth: depth + 1 });
    }
  }
}

/** Whether nothing in `root` lies deeper than `most` objects and lists. */
export function isNestedAtMost(root: unknown, most: number): boolean {
  for (const { depth } of nestedIn(root)) {
    if (depth > most) {
      return false;
    }
  }
  return true;
}
