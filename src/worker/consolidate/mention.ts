/** The three kinds of patterns that a harvest delta knows (workers.md §2). */
export type PatternType = 'domain' | 'technology' | 'solution';

/**
 * Something that a case says and that other cases may say too. `named` was called a pattern, tag, technology or domain
 * by the author; `heading` and `term` only stand there.
 */
export interface Mention {
  readonly type: PatternType;
  /** As written, on one line. */
  readonly name: string;
  /** What makes two spellings the same. */
  readonly key: string;
  readonly source: 'named' | 'heading' | 'term';
}

/** Something that a case says it would not do again. */
export interface WrittenAntiPattern {
  readonly name: string;
  readonly key: string;
  /** What the case says to do instead, or null where it says nothing. */
  readonly fix: string | null;
}

/**
 * What makes two spellings the same: case, punctuation and remarks in brackets do not count, so that `cost-per-stop`
 * and `Cost per stop (net)` agree. Empty for a text without letters and digits.
 */
export function keyOf(name: string): string {
  return wordsOf(name.replace(/\([^()]*\)/g, ' '));
}

/** The lower-case words of a text, parted by single blanks, in which a key can be looked for. */
export function wordsOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+#]+/gu, ' ')
    .trim();
}
