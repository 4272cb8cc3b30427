import { counted } from '../project/counted';
import { unreadLines } from '../project/unreadLines';
import { HARVEST_FILE, type HarvestFile } from './harvestFile';
import { type AntiPattern, MIN_CASES, NO_FIX, type Pattern } from './patternTally';

/** What a run knows when it gives its advice. */
export interface Outcome {
  readonly cases: number;
  readonly patterns: readonly Pattern[];
  readonly antiPatterns: readonly AntiPattern[];
  /** How many patterns and anti-patterns the report leaves out. */
  readonly leftOut: number;
  /** Whether things that only one case says had to be forgotten on the way. */
  readonly forgot: boolean;
  readonly unread: readonly string[];
}

const MAX_LISTED = 10;

/** Advice for the person who reads the report; the first sentence says what was not done (engines.md, builtin). */
export function recommendationsFor(outcome: Outcome, harvest: HarvestFile): readonly string[] {
  const { cases, patterns, antiPatterns } = outcome;
  return [
    'Counted, not understood: headings, tags, labels and repeated terms were counted, nothing was read for meaning. ' +
      'Run this type with a model engine for that.',
    ...tooFewCases(cases),
    ...confirmed(patterns.filter(({ name }) => harvest.holds(name))),
    ...first(
      patterns.find(({ name }) => !harvest.holds(name)),
      cases,
    ),
    ...withoutFix(antiPatterns.filter(({ fix }) => fix === NO_FIX)),
    ...limits(outcome),
  ];
}

function tooFewCases(cases: number): readonly string[] {
  if (cases >= MIN_CASES) {
    return [];
  }
  const found = cases === 0 ? 'There is no completed case' : 'There is one completed case';
  return [
    `${found}; a pattern needs ${MIN_CASES}. A case is complete once it has an 08_executive_summary.md with text.`,
  ];
}

function confirmed(known: readonly Pattern[]): readonly string[] {
  const named = known.slice(0, MAX_LISTED).map(({ name, frequency }) => `${name} (${counted(frequency, 'case')})`);
  return named.length === 0 ? [] : [`${HARVEST_FILE} already holds, and the cases confirm: ${named.join(', ')}.`];
}

function first(pattern: Pattern | undefined, cases: number): readonly string[] {
  return pattern === undefined
    ? []
    : [`Look at "${pattern.name}" first: it stands in ${pattern.frequency} of ${counted(cases, 'case')}.`];
}

function withoutFix(antiPatterns: readonly AntiPattern[]): readonly string[] {
  const names = antiPatterns.slice(0, MAX_LISTED).map(({ name }) => name);
  return names.length === 0 ? [] : [`Write down what to do instead of: ${names.join('; ')}.`];
}

function limits({ leftOut, forgot, unread }: Outcome): readonly string[] {
  return [
    ...(leftOut === 0 ? [] : [`The report is cut: ${leftOut} of the less frequent entries are left out.`]),
    ...(forgot
      ? ['So much is written that rare things could not all be counted; the frequent ones are complete.']
      : []),
    ...unreadLines(unread),
  ];
}
