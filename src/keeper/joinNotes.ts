/** Two notes as one sentence's parts; null when there is none. */
export function joinNotes(...notes: readonly (string | null)[]): string | null {
  const said = notes.filter((note) => note !== null);
  return said.length === 0 ? null : said.join('; ');
}
