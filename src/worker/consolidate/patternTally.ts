import type { CaseFindings } from './caseScan';
import type { Mention, PatternType, WrittenAntiPattern } from './mention';

export type Confidence = 'high' | 'medium' | 'low';

/** A pattern as `patterns.json` has it (workers.md §2); `frequency` counts cases. */
export interface Pattern {
  readonly type: PatternType;
  readonly name: string;
  readonly frequency: number;
  readonly confidence: Confidence;
  readonly source_cases: readonly string[];
}

/** An anti-pattern as `patterns.json` has it; `occurrences` counts cases. */
export interface AntiPattern {
  readonly name: string;
  readonly occurrences: number;
  readonly fix: string;
}

/** What stands as `fix` where no case says what to do instead. */
export const NO_FIX = 'No fix is written in the cases.';

/** In fewer cases than this, nothing is a pattern. */
export const MIN_CASES = 2;
/** What no author named is a pattern from here on: two cases share a word by chance. */
const MIN_CASES_UNNAMED = 3;
/** A list that nobody reads to its end helps nobody; what is left out is counted. */
const MAX_REPORTED = 100;
/** From so many different things on, those that only one case said so far are forgotten. */
const MAX_KEYS = 20_000;
/** From so many cases on, a heading that each of them has is how cases are built. */
const STRUCTURE_CASES = 3;

interface Tally {
  readonly cases: string[];
  /** How many cases use each spelling and each type. */
  readonly names: Map<string, number>;
  readonly types: Map<PatternType, number>;
  named: boolean;
  onlyHeading: boolean;
}

interface AntiTally {
  readonly name: string;
  count: number;
  fix: string | null;
}

/** Counts over all cases what each of them says. Memory grows with what is repeated, not with what is written. */
export class PatternTally {
  readonly #patterns = new Map<string, Tally>();
  readonly #anti = new Map<string, AntiTally>();
  #cases = 0;
  #forgot = false;

  /** Adds one case. Each must be added once, all in the same order for the same result. */
  add(slug: string, { mentions, antiPatterns }: CaseFindings): void {
    this.#cases += 1;
    for (const mention of mentions) {
      this.#addMention(slug, mention);
    }
    for (const antiPattern of antiPatterns) {
      this.#addAnti(antiPattern);
    }
    this.#forgetSingles();
  }

  get cases(): number {
    return this.#cases;
  }

  /** Whether so much was written that things which only one case said had to be forgotten on the way. */
  get forgot(): boolean {
    return this.#forgot;
  }

  /** What at least two cases name, or three say without naming it: the most frequent first, then what authors named, then by name. */
  patterns(): { readonly reported: readonly Pattern[]; readonly leftOut: number } {
    const ranked = [...this.#patterns.values()]
      .filter((tally) => isPattern(tally) && !this.#isStructure(tally))
      .map((tally) => ({ pattern: patternOf(tally), named: tally.named }))
      .sort(
        (a, b) =>
          b.pattern.frequency - a.pattern.frequency ||
          Number(b.named) - Number(a.named) ||
          byName(a.pattern, b.pattern),
      )
      .map(({ pattern }) => pattern);
    return { reported: ranked.slice(0, MAX_REPORTED), leftOut: Math.max(0, ranked.length - MAX_REPORTED) };
  }

  /** What cases say went wrong: the most frequent first, then by name. */
  antiPatterns(): { readonly reported: readonly AntiPattern[]; readonly leftOut: number } {
    const ranked = [...this.#anti.values()]
      .map(({ name, count, fix }) => ({ name, occurrences: count, fix: fix ?? NO_FIX }))
      .sort((a, b) => b.occurrences - a.occurrences || byName(a, b));
    return { reported: ranked.slice(0, MAX_REPORTED), leftOut: Math.max(0, ranked.length - MAX_REPORTED) };
  }

  #addMention(slug: string, { key, name, type, source }: Mention): void {
    const tally = this.#patterns.get(key) ?? newTally();
    this.#patterns.set(key, tally);
    tally.cases.push(slug);
    increase(tally.names, name);
    increase(tally.types, type);
    tally.named ||= source === 'named';
    tally.onlyHeading &&= source === 'heading';
  }

  #addAnti({ key, name, fix }: WrittenAntiPattern): void {
    const tally = this.#anti.get(key) ?? { name, count: 0, fix };
    this.#anti.set(key, tally);
    tally.count += 1;
    tally.fix ??= fix;
  }

  #forgetSingles(): void {
    const forgotPattern = forget(this.#patterns, ({ cases }) => cases.length === 1);
    const forgotAnti = forget(this.#anti, ({ count }) => count === 1);
    this.#forgot ||= forgotPattern || forgotAnti;
  }

  #isStructure({ onlyHeading, cases }: Tally): boolean {
    return onlyHeading && cases.length >= STRUCTURE_CASES && cases.length === this.#cases;
  }
}

function isPattern({ cases, named }: Tally): boolean {
  return cases.length >= (named ? MIN_CASES : MIN_CASES_UNNAMED);
}

function newTally(): Tally {
  return { cases: [], names: new Map(), types: new Map(), named: false, onlyHeading: true };
}

function patternOf({ cases, names, types, named }: Tally): Pattern {
  return {
    type: mostUsed(types, 'solution'),
    name: mostUsed(names, ''),
    frequency: cases.length,
    confidence: confidenceOf(cases.length, named),
    source_cases: cases,
  };
}

/**
 * How sure a pattern is. Four cases or more are `high`, three `medium`, two `low`; what no author named, but what only
 * repeats itself in headings and terms, is one step lower.
 */
export function confidenceOf(cases: number, named: boolean): Confidence {
  const sure = named ? cases : cases - 1;
  if (sure >= 4) {
    return 'high';
  }
  return sure === 3 ? 'medium' : 'low';
}

/** The key with the highest count; of several the first in code unit order. */
function mostUsed<K extends string>(counts: ReadonlyMap<K, number>, none: K): K {
  const ranked = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return ranked[0]?.[0] ?? none;
}

function increase<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Answers whether it had to take something out. */
function forget<T>(tallies: Map<string, T>, isSingle: (tally: T) => boolean): boolean {
  if (tallies.size <= MAX_KEYS) {
    return false;
  }
  for (const [key, tally] of tallies) {
    if (isSingle(tally)) {
      tallies.delete(key);
    }
  }
  return true;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
