import { clipped, inlineText } from '../project/inlineText';
import { type MarkdownBlock, readMarkdown } from '../project/readMarkdown';

/** What the toolkit's harvest lists, as an export has it (workers.md §2). */
export interface HarvestPatterns {
  readonly skills_count: number;
  readonly commands_count: number;
  readonly rules_count: number;
  readonly patterns_count: number;
  readonly patterns: readonly string[];
}

type Kind = 'skills' | 'commands' | 'rules' | 'patterns';

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['skills', /\bskills?\b|навык|скилл/i],
  ['commands', /\bcommands?\b|команд/i],
  ['rules', /\brules?\b|правил/i],
  ['patterns', /\bpatterns?\b|паттерн/i],
];
const ANTI = /anti-?\s?pattern|анти-?паттерн/i;
const MAX_NAME = 120;
const MAX_PATTERNS = 1000;

/**
 * Counts the entries below the headings *Skills*, *Commands*, *Rules* and *Patterns* of `TOOLKIT_HARVEST.md`: list
 * entries and table rows, and where a section has neither, its deeper headings. An entry that is a mere list of names
 * (`- a, b, c`) counts each of them.
 */
export function harvestPatternsIn(text: string): HarvestPatterns {
  const found: Record<Kind, string[]> = { skills: [], commands: [], rules: [], patterns: [] };
  for (const { kind, entries, headings } of sectionsOf(text)) {
    found[kind].push(...(entries.length > 0 ? entries : headings));
  }
  return {
    skills_count: found.skills.length,
    commands_count: found.commands.length,
    rules_count: found.rules.length,
    patterns_count: found.patterns.length,
    patterns: found.patterns.slice(0, MAX_PATTERNS),
  };
}

interface Section {
  readonly kind: Kind;
  readonly level: number;
  readonly entries: string[];
  readonly headings: string[];
}

function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [];
  let open: Section | null = null;
  for (const block of readMarkdown(text)) {
    if (block.kind !== 'heading') {
      open?.entries.push(...entriesOf(block));
    } else if (open === null || block.level <= open.level) {
      open = sectionOf(block);
      sections.push(...(open === null ? [] : [open]));
    } else {
      open.headings.push(nameIn(block.text));
    }
  }
  return sections;
}

function sectionOf(block: MarkdownBlock): Section | null {
  if (block.kind !== 'heading' || block.level < 2 || ANTI.test(block.text)) {
    return null;
  }
  const kind = KINDS.find(([, words]) => words.test(block.text))?.[0];
  return kind === undefined ? null : { kind, level: block.level, entries: [], headings: [] };
}

function entriesOf(block: MarkdownBlock): readonly string[] {
  if (block.kind === 'row') {
    return [nameIn(block.cells.find((cell) => /\p{L}/u.test(cell)) ?? '')].filter((name) => name !== '');
  }
  if (block.kind !== 'item' || block.depth >= 2) {
    return [];
  }
  const names = block.text.split(',').map((part) => part.trim());
  const isNameList = names.length > 1 && names.every((name) => /^[\p{L}\p{N}_/-]+(?: [\p{L}\p{N}_/-]+)?$/u.test(name));
  return isNameList ? names : [nameIn(block.text)].filter((name) => name !== '');
}

/** The emphasized words that an entry begins with, else what stands before the first colon, dash or full stop. */
function nameIn(markdown: string): string {
  const emphasized = /^(?:\*\*|__|\*|_|`)([^*`]+?)(?:\*\*|__|\*|_|`)/.exec(markdown)?.[1];
  const name = emphasized ?? markdown.split(/:\s|\s[—–]\s|\.\s/)[0] ?? '';
  return clipped(inlineText(name).replace(/[.:;]$/, ''), MAX_NAME);
}
