/** The proposal's name in a worker's `output/`. */
export const HARVEST_DELTA = 'harvest-delta.md';

/** One part of a harvest delta that a person can take over into TOOLKIT_HARVEST.md. */
export interface HarvestSection {
  /** A `piece` names the section of TOOLKIT_HARVEST.md that it is for; a `section` is one of the delta. */
  readonly kind: 'piece' | 'section';
  /** Unique in its delta and the same each time that this text is read. */
  readonly id: string;
  readonly title: string;
  /**
   * The section that a piece is for, or the title of the second-level heading around a third-level one; null for a
   * second-level section itself.
   */
  readonly parent: string | null;
  /** What stands below the heading, without blank lines around it; lines end in `\n`. */
  readonly body: string;
}

/** What taking sections over makes of TOOLKIT_HARVEST.md. */
export interface HarvestPlan {
  readonly text: string;
  readonly applied: readonly HarvestSection[];
  /** Sections that the text holds already. */
  readonly present: readonly HarvestSection[];
}

/** Characters; a longer line is a text by mistake, and would be slow to look through. */
const LONGEST_HEADING = 500;

/** Lines, with the marks of its code block. */
const LONGEST_PIECE = 100;

/** An item of a list, or a further line of one. */
const LIST_LINE = /^\s*(?:[-*+]|\d+[.)])\s|^\s+\S/;

interface Heading {
  readonly level: number;
  readonly title: string;
  /** Index of its line. */
  readonly line: number;
}

/** As the builtin engine writes a piece under *Application Instructions*; a code block with the text follows. */
const PIECE = /^\d+\. Append to the section `#{2,6} (.+)` of `TOOLKIT_HARVEST\.md`:$/;

/**
 * What a `harvest-delta.md` (workers.md §2) proposes: first the pieces that say where they belong, then its sections:
 * each third-level one, and each second-level one with what stands directly below it. Sections without text, or that
 * only hold pieces, are left out. Headings in code blocks are none.
 */
export function parseHarvestDelta(text: string): readonly HarvestSection[] {
  const lines = plainLines(text);
  return [...piecesOf(lines), ...sectionsOf(lines)];
}

function piecesOf(lines: readonly string[]): readonly HarvestSection[] {
  return lines.flatMap((line, index) => {
    const parent = line.length > LONGEST_HEADING ? undefined : PIECE.exec(line)?.[1];
    const body = parent === undefined ? '' : codeBlockBehind(lines, index);
    const [title = ''] = body.split('\n');
    return parent === undefined || body === '' ? [] : [{ kind: 'piece', id: `piece/${index}`, title, parent, body }];
  });
}

/** The text of the code block that follows line `index`, without its indentation; empty where none does. */
function codeBlockBehind(lines: readonly string[], index: number): string {
  const behind = lines.slice(index + 1, index + 1 + LONGEST_PIECE);
  const start = behind.findIndex((line) => line.trim() !== '');
  const [, indent = '', mark = ''] = /^( *)(`{3,}|~{3,})/.exec(behind[start] ?? '') ?? [];
  const end = mark === '' ? -1 : behind.findIndex((line, at) => at > start && closes(line, mark));
  const inside = behind.slice(start + 1, Math.max(end, start + 1));
  return trimBlankLines(inside.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))).join('\n');
}

function sectionsOf(lines: readonly string[]): readonly HarvestSection[] {
  const headings = headingsOf(lines).filter(({ level }) => level <= 3);
  const ids = new Map<string, number>();
  let parent: string | null = null;
  return headings.flatMap(({ level, title, line }, index) => {
    parent = level === 3 ? parent : level === 2 ? title : null;
    const inside = trimBlankLines(lines.slice(line + 1, headings[index + 1]?.line ?? lines.length));
    const body = inside.join('\n');
    if (level < 2 || body === '' || inside.some((one) => PIECE.test(one.slice(0, LONGEST_HEADING)))) {
      return [];
    }
    const place = level === 3 ? parent : null;
    return [{ kind: 'section', id: uniqueId([place, title], ids), title, parent: place, body }];
  });
}

/** Whether TOOLKIT_HARVEST.md holds the section of this worker: taken over once, or written there in the same words. */
export function holdsSection(harvest: string, section: HarvestSection, workerId: string): boolean {
  const text = plainLines(harvest).join('\n');
  return (
    (section.kind === 'section' && text.includes(markerOf(section, workerId))) ||
    `\n${text}\n`.includes(`\n${section.body}\n`)
  );
}

/**
 * Takes sections over: each goes to the end of the section of the same name, else below the heading that it had in the
 * delta, which is made where it is missing. Nothing of `harvest` is changed or removed, its line ends are kept, and
 * what it holds already is not added again.
 */
export function planHarvest(harvest: string, sections: readonly HarvestSection[], workerId: string): HarvestPlan {
  const applied: HarvestSection[] = [];
  const present: HarvestSection[] = [];
  let text = harvest;
  for (const section of sections) {
    if (holdsSection(text, section, workerId)) {
      present.push(section);
    } else {
      text = section.kind === 'piece' ? insertPiece(text, section) : insertSection(text, section, workerId);
      applied.push(section);
    }
  }
  return { text, applied, present };
}

/** A piece is a line among its like: it gets neither a mark of ours nor a distance that a list does not have. */
function insertPiece(harvest: string, { parent, body }: HarvestSection): string {
  const lines = plainLines(harvest);
  const headings = headingsOf(lines).filter(({ level }) => level >= 2);
  const heading = headings.find(({ title }) => parent !== null && sameTitle(title, parent));
  if (heading === undefined) {
    return insertAt(harvest, lines.length, `## ${parent ?? ''}\n\n${body}`);
  }
  const end = endOfSection(headings, heading, lines);
  const last = lines.findLastIndex((line, at) => at < end && line.trim() !== '');
  const goesOn = last > heading.line && LIST_LINE.test(lines[last] ?? '') && LIST_LINE.test(body);
  return goesOn ? insertLine(harvest, last + 1, body) : insertAt(harvest, end, body);
}

/** Puts a block right behind the line before line `line`, and a blank line behind it where a text follows at once. */
function insertLine(harvest: string, line: number, block: string): string {
  const eol = eolOf(harvest);
  const at = offsetOfLine(harvest, line);
  const [before, after] = [harvest.slice(0, at), harvest.slice(at)];
  const tail = after === '' || /^[ \t]*[\r\n]/.test(after) ? eol : eol + eol;
  return `${before}${endsLine(before) ? '' : eol}${block.replaceAll('\n', eol)}${tail}${after}`;
}

function insertSection(harvest: string, section: HarvestSection, workerId: string): string {
  const lines = plainLines(harvest);
  const headings = headingsOf(lines).filter(({ level }) => level >= 2);
  const named = (title: string | null): Heading | undefined =>
    headings.find((heading) => title !== null && sameTitle(heading.title, title));
  const body = `${markerOf(section, workerId)}\n${section.body}`;
  const same = named(section.title);
  if (same !== undefined) {
    return insertAt(harvest, endOfSection(headings, same, lines), body);
  }
  const { title, parent } = section;
  const around = named(parent);
  if (around !== undefined) {
    const own = `${'#'.repeat(Math.min(around.level + 1, 6))} ${title}\n\n${body}`;
    return insertAt(harvest, endOfSection(headings, around, lines), own);
  }
  const heads = parent === null ? `## ${title}` : `## ${parent}\n\n### ${title}`;
  return insertAt(harvest, lines.length, `${heads}\n\n${body}`);
}

/** The line behind the last one that belongs to the section and says something. */
function endOfSection(headings: readonly Heading[], heading: Heading, lines: readonly string[]): number {
  const next = headings.find(({ line, level }) => line > heading.line && level <= heading.level);
  return next?.line ?? lines.length;
}

/** Puts a block with blank lines around it before line `line`; everything else stays as it is, byte for byte. */
function insertAt(harvest: string, line: number, block: string): string {
  const eol = eolOf(harvest);
  const at = offsetOfLine(harvest, line);
  const [before, after] = [harvest.slice(0, at), harvest.slice(at)];
  const lead =
    before === '' || before === '\uFEFF' ? '' : endsInBlankLine(before) ? '' : endsLine(before) ? eol : eol + eol;
  const tail = after === '' ? eol : eol + eol;
  return `${before}${lead}${block.replaceAll('\n', eol)}${tail}${after}`;
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function endsLine(text: string): boolean {
  return text.endsWith('\n') || text.endsWith('\r');
}

function endsInBlankLine(text: string): boolean {
  return /(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)$/.test(text.slice(-200));
}

function offsetOfLine(text: string, line: number): number {
  const ends = /\r\n|\n|\r/g;
  for (let passed = 0; passed < line; passed += 1) {
    if (ends.exec(text) === null) {
      return text.length;
    }
  }
  return ends.lastIndex;
}

function plainLines(text: string): readonly string[] {
  return text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
}

function headingsOf(lines: readonly string[]): readonly Heading[] {
  let fence: string | null = null;
  return lines.flatMap((text, line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1] ?? null;
    if (fence !== null || mark !== null) {
      fence = fence === null ? mark : closes(text, fence) ? null : fence;
      return [];
    }
    const heading = headingIn(text);
    return heading === null ? [] : [{ ...heading, line }];
  });
}

function headingIn(text: string): Omit<Heading, 'line'> | null {
  const found = text.length > LONGEST_HEADING ? null : /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(text);
  const title = (found?.[2] ?? '').replace(/(?:^|[ \t]+)#+[ \t]*$/, '').trim();
  return found?.[1] === undefined || title === '' ? null : { level: found[1].length, title };
}

function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && [...text].every((character) => character === fence[0]);
}

function trimBlankLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}

function sameTitle(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function uniqueId(path: readonly (string | null)[], used: Map<string, number>): string {
  const words = path.filter((part) => part !== null).map(slug);
  const id = words.join('/');
  const count = (used.get(id) ?? 0) + 1;
  used.set(id, count);
  return count === 1 ? id : `${id}.${String(count)}`;
}

function slug(title: string): string {
  const plain = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return plain === '' ? 'section' : plain;
}

/** Tells later runs that the section was taken over, also after a person has reworded it. */
function markerOf({ id }: HarvestSection, workerId: string): string {
  return `<!-- harvested: ${workerId} ${id} -->`;
}
