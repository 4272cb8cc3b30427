const MAX_LINES = 20;

/** The sentences about files that were not read, for a person: the first twenty, and how many more there are. */
export function unreadLines(unread: readonly string[]): readonly string[] {
  const more = unread.length - MAX_LINES;
  return [...unread.slice(0, MAX_LINES), ...(more > 0 ? [`${more} more files were not read.`] : [])];
}
