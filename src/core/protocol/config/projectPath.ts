/** What no worker may change (the document's isolation rules), and what belongs to the other workers. */
const OFF_LIMITS = ['researches', 'features', 'CLAUDE.md', '.claude', '.keysarium/workers'];

/** Whether `path` names something inside the project by its text alone: relative, POSIX, without `.` and `..`. */
export function isProjectPath(path: string): boolean {
  const parts = path.replace(/\/+$/, '').split('/');
  const plain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  return plain && !/[\\\0]|^[A-Za-z]:/.test(path);
}

/** Whether a type may be allowed to write there: not into, and not around, what the isolation rules protect. */
export function isWritablePath(path: string): boolean {
  const wanted = `${path.replace(/\/+$/, '').toLowerCase()}/`;
  return !OFF_LIMITS.some((place) => {
    const taboo = `${place.toLowerCase()}/`;
    return wanted.startsWith(taboo) || taboo.startsWith(wanted);
  });
}
