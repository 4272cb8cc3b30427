import { counted } from '../project/counted';
import { inlineText } from '../project/inlineText';
import { HARVEST_FILE, type HarvestFile } from './harvestFile';
import type { PatternType } from './mention';
import type { PatternsReport } from './patternsReport';
import { type AntiPattern, NO_FIX, type Pattern } from './patternTally';

const TYPES: readonly (readonly [PatternType, string])[] = [
  ['domain', 'Domain Patterns'],
  ['technology', 'Technology Patterns'],
  ['solution', 'Solution Patterns'],
];
const MAX_NAMED_CASES = 10;

/** One line for one section of the harvest file. Its text holds no line breaks: all names come out of `inlineText`. */
interface Piece {
  readonly section: string;
  readonly line: string;
}

/**
 * `harvest-delta.md` (workers.md §2): what the report found and the harvest file does not hold yet, and each piece of
 * it ready to be put in. Every piece of *Application Instructions* names its section and holds its line in a fence of
 * its own, so that a person or a program can take over any of them alone.
 */
export function harvestDelta(report: PatternsReport, harvest: HarvestFile): string {
  const fresh = report.patterns.filter(({ name }) => !harvest.holds(name));
  const freshAnti = report.anti_patterns.filter(({ name }) => !harvest.holds(name));
  const lines = [
    `# Harvest Delta — ${report.generated_at}`,
    '',
    `Written by ${report.worker_id} from ${counted(report.cases_analyzed, 'completed case')}. Nothing was changed; take over what is good.`,
    '',
    '## New Patterns Discovered',
    '',
    ...TYPES.flatMap(([type, title]) =>
      patternSection(
        title,
        fresh.filter((pattern) => pattern.type === type),
      ),
    ),
    '## Recommendations',
    '',
    ...report.recommendations.map((text) => `- ${text}`),
    ...freshAnti.map((anti) => `- Avoid ${antiText(anti)}`),
    '',
    '## Application Instructions',
    '',
    ...instructions([
      ...fresh.map((pattern) => patternPiece(pattern, harvest)),
      ...freshAnti.map((anti) => antiPiece(anti, harvest)),
    ]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function patternSection(title: string, patterns: readonly Pattern[]): readonly string[] {
  const entries = patterns.map(
    ({ name, confidence, source_cases: cases }) =>
      `- **${name}** (${counted(cases.length, 'case')}, ${confidence} confidence): ${namedCases(cases)}`,
  );
  return [`### ${title}`, '', ...(entries.length === 0 ? [] : [...entries, ''])];
}

function patternPiece({ type, name, confidence, source_cases: cases }: Pattern, harvest: HarvestFile): Piece {
  return {
    section: harvest.sectionFor(type),
    line: `- **${name}**: seen in ${namedCases(cases)} (${confidence} confidence).`,
  };
}

function antiPiece(anti: AntiPattern, harvest: HarvestFile): Piece {
  return { section: harvest.sectionFor('anti'), line: `- ${antiText(anti)}` };
}

function antiText({ name, occurrences, fix }: AntiPattern): string {
  const remedy = fix === NO_FIX ? '' : ` Instead: ${fix.replace(/[.!]?$/, '.')}`;
  return `**${name}**: went wrong in ${counted(occurrences, 'case')}.${remedy}`;
}

function instructions(pieces: readonly Piece[]): readonly string[] {
  if (pieces.length === 0) {
    return [`There is nothing to add to \`${HARVEST_FILE}\`.`];
  }
  return [
    'Each piece stands alone. Append its line at the end of the section that it names, before the next heading of the',
    'same or a higher level; where the section is missing, add it as a second-level heading at the end of the file first.',
    '',
    ...pieces.flatMap(({ section, line }, index) => [
      `${index + 1}. Append to the section \`## ${section}\` of \`${HARVEST_FILE}\`:`,
      '',
      '   ```markdown',
      `   ${line}`,
      '   ```',
      '',
    ]),
  ];
}

function namedCases(cases: readonly string[]): string {
  const more = cases.length - MAX_NAMED_CASES;
  const named = cases.slice(0, MAX_NAMED_CASES).map(inlineText).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}
