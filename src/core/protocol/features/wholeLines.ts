/** The lines of a text without their ends. What stands behind the last end may be half a line, and is left out. */
export function wholeLines(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}
