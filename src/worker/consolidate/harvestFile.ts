import { readMarkdown } from '../project/readMarkdown';
import { keyOf, type PatternType, wordsOf } from './mention';

/** The file that a harvest delta is written for. */
export const HARVEST_FILE = 'TOOLKIT_HARVEST.md';

/** What a delta must know of the toolkit's harvest: what it holds already, and where new entries go. */
export class HarvestFile {
  readonly #words: string;
  readonly #sections: readonly string[];

  /** `text` is the file's text; empty when there is none. */
  constructor(text: string) {
    this.#words = ` ${wordsOf(text)} `;
    // Exactly as written, because the review looks for it; a title with a code mark could not be quoted in one.
    this.#sections = [...readMarkdown(text)].flatMap((block) =>
      block.kind === 'heading' && block.level === 2 && !block.text.includes('`') ? [block.text] : [],
    );
  }

  /** Whether the name stands anywhere in the file, in any spelling that means the same. */
  holds(name: string): boolean {
    return this.#words.includes(` ${keyOf(name)} `);
  }

  /** The title of the second-level section for such entries: the file's own where it has one. */
  sectionFor(kind: PatternType | 'anti'): string {
    if (kind === 'anti') {
      return this.#sections.find((title) => /anti-?\s?pattern|анти-?паттерн/i.test(title)) ?? 'Anti-patterns';
    }
    const patterns = this.#sections.filter((title) => /pattern|паттерн/i.test(title) && !/anti|анти/i.test(title));
    return patterns.find((title) => title.toLowerCase().includes(kind)) ?? patterns[0] ?? 'Patterns';
  }
}
