import { withoutFrontMatter } from './frontMatter';

/** A piece of a Markdown text. Its own marks (`#`, `-`, `|`) are taken off; marks inside the text are not. */
export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  /** A list entry with the lines that continue it; `depth` counts the blanks before its mark. */
  | { readonly kind: 'item'; readonly depth: number; readonly text: string }
  /** A body row of a table; `head` holds the cells of the table's first row. */
  | { readonly kind: 'row'; readonly cells: readonly string[]; readonly head: readonly string[] }
  /** One line of a paragraph; `opens` is true for its first line. */
  | { readonly kind: 'text'; readonly text: string; readonly opens: boolean };

/** Longer lines are data, not prose; what is cut off keeps every pattern that looks at a line cheap. */
const MAX_LINE = 2000;

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/;
const FENCE = /^\s*(`{3,}|~{3,})/;
const RULER = /^[\s:|-]+$/;

/**
 * Reads a text line by line, tolerantly and in linear time. Front matter, code fences and comments are passed over:
 * they are not what the author says.
 */
export function* readMarkdown(text: string): Generator<MarkdownBlock> {
  const reader = new BlockReader();
  for (const line of proseLines(withoutFrontMatter(text))) {
    yield* reader.take(line);
  }
  yield* reader.end();
}

function* lines(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next;
    yield text.slice(at, Math.min(end, at + MAX_LINE)).trimEnd();
    at = end + 1;
  }
}

/** The lines outside of fences and comments; each of those leaves an empty line, as it parts what stands around it. */
function* proseLines(text: string): Generator<string> {
  let closedBy: ((line: string) => boolean) | null = null;
  for (const line of lines(text)) {
    if (closedBy !== null) {
      closedBy = closedBy(line) ? null : closedBy;
      continue;
    }
    closedBy = opens(line);
    const oneLineComment = /^\s*<!--.*-->\s*$/.test(line);
    yield closedBy !== null || oneLineComment ? '' : line;
  }
}

/** What ends the fence or comment that begins with this line, or null where none does. */
function opens(line: string): ((later: string) => boolean) | null {
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) {
    return (later) => later.trim().startsWith(fence) && /^[`~]+$/.test(later.trim());
  }
  const opensComment = line.trimStart().startsWith('<!--') && !line.includes('-->');
  return opensComment ? (later) => later.includes('-->') : null;
}

class BlockReader {
  #item: { readonly depth: number; text: string } | null = null;
  #head: readonly string[] | null = null;
  #inParagraph = false;

  *take(line: string): Generator<MarkdownBlock> {
    const item = this.#item;
    if (item !== null && /^[ \t]+\S/.test(line) && !ITEM.test(line)) {
      item.text = `${item.text} ${line.trim()}`.slice(0, MAX_LINE);
      return;
    }
    yield* this.end();
    const opening = this.#inParagraph;
    this.#inParagraph = false;
    yield* this.#fresh(line, !opening);
  }

  /** Gives out the list entry that is still open. */
  *end(): Generator<MarkdownBlock> {
    if (this.#item !== null) {
      yield { kind: 'item', ...this.#item };
      this.#item = null;
    }
  }

  *#fresh(line: string, opensParagraph: boolean): Generator<MarkdownBlock> {
    if (line.trimStart().startsWith('|')) {
      yield* this.#row(line.trim());
      return;
    }
    this.#head = null;
    const [, marks, title] = HEADING.exec(line) ?? [];
    const [, indent, entry] = ITEM.exec(line) ?? [];
    if (marks !== undefined && title !== undefined) {
      yield { kind: 'heading', level: marks.length, text: title.replace(/\s#+$/, '').trim() };
    } else if (indent !== undefined && entry !== undefined) {
      this.#item = { depth: indent.replaceAll('\t', '  ').length, text: entry.trim() };
    } else if (line.trim() !== '') {
      this.#inParagraph = true;
      yield { kind: 'text', text: line.trim(), opens: opensParagraph };
    }
  }

  *#row(line: string): Generator<MarkdownBlock> {
    if (RULER.test(line)) {
      return;
    }
    const cells = line.replace(/^\||\|$/g, '').split('|');
    const trimmed = cells.map((cell) => cell.trim());
    if (this.#head === null) {
      this.#head = trimmed;
    } else {
      yield { kind: 'row', cells: trimmed, head: this.#head };
    }
  }
}
