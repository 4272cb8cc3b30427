import { inlineText, clipped } from '../project/inlineText';
import { labelledValues, listedIn } from '../project/labelledValues';
import { type MarkdownBlock, readMarkdown } from '../project/readMarkdown';
import { readFrontMatter } from '../project/frontMatter';
import { fixText, isFix, readAntiPattern } from './antiPatternText';
import { keyOf, type Mention, type PatternType, type WrittenAntiPattern } from './mention';
import { isStructure, labelKindOf, type SectionKind, sectionKindOf } from './sectionKind';
import { TermCounter } from './termCounter';

/** What one case says, each thing once. */
export interface CaseFindings {
  readonly mentions: readonly Mention[];
  readonly antiPatterns: readonly WrittenAntiPattern[];
}

const MAX_MENTIONS = 400;
const MAX_ANTI_PATTERNS = 100;
const MAX_NAME = 80;
/** An entry says what went wrong and what to do instead; the rest of a long text is neither. */
const MAX_ENTRY = 2000;
const CODE_SPAN = /`([\p{L}][^`/\\]{1,39})`/gu;

/**
 * Collects what the texts of one case say. What counts as said: `Tags:`, `Pattern:`, `Anti-pattern:`, `Technologies:`
 * and `Domain:` lines; the entries below headings such as *Patterns*, *Technology* or *What did not work*; headings of
 * the second level and deeper; code spans; repeated terms. Nothing is read for its meaning.
 */
export class CaseScan {
  readonly #mentions = new Map<string, Mention>();
  readonly #anti = new Map<string, WrittenAntiPattern>();
  readonly #terms = new TermCounter();
  #section: { readonly level: number; readonly kind: SectionKind } | null = null;
  /** The entry about something that went wrong whose sub-entries and further lines may still come. */
  #openAnti = '';
  /** Whether that entry is a heading, to which the paragraphs below belong. */
  #antiHasHeading = false;

  /** Takes one file of the case. Any text will do. */
  take(text: string): void {
    this.#section = null;
    for (const [label, value] of readFrontMatter(text)) {
      this.#labelled(label, value);
    }
    for (const block of readMarkdown(text)) {
      this.#block(block);
    }
    this.#closeAnti();
  }

  /** Everything so far; repeated terms come last. */
  findings(): CaseFindings {
    for (const term of this.#terms.terms()) {
      this.#mention('domain', term, 'term');
    }
    return { mentions: [...this.#mentions.values()], antiPatterns: [...this.#anti.values()] };
  }

  #block(block: MarkdownBlock): void {
    switch (block.kind) {
      case 'heading':
        this.#closeAnti();
        this.#heading(block.level, inlineText(block.text));
        break;
      case 'item':
        this.#prose(block.text);
        this.#item(block.depth, block.text);
        break;
      case 'row':
        this.#prose(block.cells.join('. '));
        this.#row(block.cells);
        break;
      case 'text':
        this.#prose(block.text);
        this.#line(block.text, block.opens);
        break;
    }
  }

  #heading(level: number, title: string): void {
    if (this.#section !== null && level <= this.#section.level) {
      this.#section = null;
    }
    const kind = sectionKindOf(title);
    if (kind !== null && level > 1) {
      this.#section = { level, kind };
    } else if (this.#section !== null) {
      this.#entry(this.#section.kind, title);
      this.#antiHasHeading = this.#section.kind === 'anti';
    } else if (level > 1) {
      this.#mention('solution', title, 'heading');
    }
  }

  #item(depth: number, text: string): void {
    const kind = this.#section?.kind;
    if (kind === 'anti' && (depth >= 2 || isFix(text))) {
      this.#continueAnti(`. ${text}`);
    } else if (kind !== undefined && depth < 2) {
      this.#entry(kind, text);
    }
  }

  #row(cells: readonly string[]): void {
    const [first = '', second = ''] = cells.filter((cell) => /\p{L}/u.test(cell));
    if (this.#section !== null) {
      this.#entry(this.#section.kind, this.#section.kind === 'anti' && second !== '' ? `${first} → ${second}` : first);
    }
  }

  #line(text: string, opens: boolean): void {
    if (this.#section?.kind !== 'anti') {
      return;
    }
    const isProse = labelledValues(text).length === 0;
    if (isFix(text) || (this.#antiHasHeading && isProse)) {
      this.#continueAnti(`. ${text}`);
    } else if (isProse && opens) {
      this.#startAnti(text);
    } else if (isProse) {
      this.#continueAnti(` ${text}`);
    }
  }

  #entry(kind: SectionKind, text: string): void {
    if (kind === 'anti') {
      this.#startAnti(text);
    } else {
      this.#mention(kind, leadOf(text), 'named');
    }
  }

  #startAnti(text: string): void {
    this.#closeAnti();
    this.#antiHasHeading = false;
    this.#continueAnti(text);
  }

  #continueAnti(text: string): void {
    this.#openAnti = `${this.#openAnti}${text}`.slice(0, MAX_ENTRY);
  }

  #closeAnti(): void {
    const found = this.#openAnti === '' ? null : readAntiPattern(this.#openAnti);
    this.#openAnti = '';
    this.#addAnti(found);
  }

  #addAnti(found: WrittenAntiPattern | null): void {
    const known = found === null ? undefined : this.#anti.get(found.key);
    if (found !== null && known === undefined && this.#anti.size < MAX_ANTI_PATTERNS) {
      this.#anti.set(found.key, found);
    } else if (found !== null && known?.fix === null) {
      this.#anti.set(found.key, { ...known, fix: found.fix });
    }
  }

  /** What any line may hold, wherever it stands: labels, code spans, terms. */
  #prose(markdown: string): void {
    const plain = inlineText(markdown);
    this.#terms.take(plain);
    let lastAnti: string | null = null;
    for (const { label, value } of labelledValues(plain)) {
      if (lastAnti !== null && isFix(`${label}: x`)) {
        this.#addAnti(readAntiPattern(`${lastAnti} → ${fixText(value)}`));
      }
      lastAnti = labelKindOf(label) === 'anti' ? value : null;
      this.#labelled(label, value);
    }
    for (const [, code = ''] of markdown.matchAll(CODE_SPAN)) {
      this.#mention('technology', code, 'term');
    }
  }

  #labelled(label: string, value: string): void {
    const kind = labelKindOf(label);
    if (kind === 'anti') {
      this.#addAnti(readAntiPattern(value));
    } else if (kind !== null) {
      const names = kind === 'domain' ? [value] : listedIn(value);
      for (const name of names) {
        this.#mention(kind, name, 'named');
      }
    }
  }

  /** The same thing is said once per case; who names it counts more than where it only stands. */
  #mention(type: PatternType, text: string, source: Mention['source']): void {
    const name = clipped(inlineText(text).replace(/^\d+(?:\.\d+)*[.)]?\s+/, ''), MAX_NAME);
    const key = keyOf(name);
    const known = this.#mentions.get(key);
    const isBetter =
      known === undefined ? this.#mentions.size < MAX_MENTIONS : known.source !== 'named' && source === 'named';
    if (/\p{L}/u.test(key) && !isStructure(key) && isBetter) {
      this.#mentions.set(key, { type, name, key, source });
    }
  }
}

/** The part of an entry that names it: its bold words, else what stands before the first colon, dash or full stop. */
function leadOf(markdown: string): string {
  const bold = /^\*\*([^*]+)\*\*/.exec(markdown)?.[1];
  const lead = bold ?? markdown.split(/:\s|\s[—–]\s|\.\s|\s\(/)[0] ?? '';
  return inlineText(lead).replace(/[.:;]$/, '');
}
