/** How much of a worktree is not committed, as the end of a sentence. */
export function uncommittedText(files: number): string {
  return files === 1 ? '1 file is not committed' : `${String(files)} files are not committed`;
}
