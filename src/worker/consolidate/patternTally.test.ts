import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf, type Mention, type WrittenAntiPattern } from './mention';
import { confidenceOf, NO_FIX, PatternTally } from './patternTally';

function mention(name: string, source: Mention['source'] = 'named', type: Mention['type'] = 'solution'): Mention {
  return { type, name, key: keyOf(name), source };
}

function anti(name: string, fix: string | null = null): WrittenAntiPattern {
  return { name, key: keyOf(name), fix };
}

function tallyOf(
  cases: Readonly<Record<string, readonly Mention[]>>,
  wrong: Readonly<Record<string, readonly WrittenAntiPattern[]>> = {},
): PatternTally {
  const tally = new PatternTally();
  for (const [slug, mentions] of Object.entries(cases)) {
    tally.add(slug, { mentions, antiPatterns: wrong[slug] ?? [] });
  }
  return tally;
}

describe('patterns', () => {
  it('are what two cases name, with the cases that do', () => {
    const tally = tallyOf({ a: [mention('cost-per-stop'), mention('alone')], b: [mention('Cost per stop (net)')] });
    expect(tally.patterns()).toEqual({
      reported: [
        { type: 'solution', name: 'Cost per stop (net)', frequency: 2, confidence: 'low', source_cases: ['a', 'b'] },
      ],
      leftOut: 0,
    });
  });

  it('need a third case where no author names them', () => {
    const two = { a: [mention('van', 'term')], b: [mention('van', 'term')], d: [] };
    expect(tallyOf(two).patterns().reported).toEqual([]);
    expect(tallyOf({ ...two, c: [mention('van', 'term')] }).patterns().reported).toMatchObject([{ frequency: 3 }]);
  });

  it('are not the headings that every case has', () => {
    const every = {
      a: [mention('Market', 'heading')],
      b: [mention('Market', 'heading')],
      c: [mention('Market', 'heading')],
    };
    expect(tallyOf(every).patterns().reported).toEqual([]);
    expect(tallyOf({ ...every, d: [] }).patterns().reported).toMatchObject([{ name: 'Market' }]);
  });

  it('take the spelling and the type of most cases', () => {
    const tally = tallyOf({
      a: [mention('csv import', 'named', 'technology')],
      b: [mention('CSV import', 'named', 'technology')],
      c: [mention('CSV import')],
    });
    expect(tally.patterns().reported).toMatchObject([{ type: 'technology', name: 'CSV import' }]);
  });

  it.each([
    [2, true, 'low'],
    [3, true, 'medium'],
    [4, true, 'high'],
    [3, false, 'low'],
    [4, false, 'medium'],
    [5, false, 'high'],
  ])('of %d cases, named by an author: %s, are of %s confidence', (cases, named, confidence) => {
    expect(confidenceOf(cases, named)).toBe(confidence);
  });

  it('come most frequent first, in the same order whatever order the mentions have', () => {
    const names = fc.uniqueArray(fc.constantFrom('a1', 'b1', 'c1', 'd1', 'e1'));
    fc.assert(
      fc.property(fc.array(names, { maxLength: 8 }), (cases) => {
        const build = (order: (names: readonly string[]) => readonly string[]) =>
          tallyOf(Object.fromEntries(cases.map((said, i) => [`case${i}`, order(said).map((name) => mention(name))])));
        const { reported } = build((said) => said).patterns();
        expect(build((said) => [...said].reverse()).patterns().reported).toEqual(reported);
        for (const [index, { frequency, source_cases: sources }] of reported.entries()) {
          expect(frequency).toBe(sources.length);
          expect(frequency).toBeGreaterThanOrEqual(2);
          expect(frequency).toBeLessThanOrEqual(reported[index - 1]?.frequency ?? Infinity);
        }
      }),
    );
  });

  it('are cut after a hundred, and say how many are left out', () => {
    const many = Array.from({ length: 130 }, (_x, i) => mention(`pattern ${i}`));
    const { reported, leftOut } = tallyOf({ a: many, b: many }).patterns();
    expect([reported.length, leftOut]).toEqual([100, 30]);
  });

  it('are still counted when far too much else is said, which is told', () => {
    const noise = (slug: number) => Array.from({ length: 400 }, (_x, i) => mention(`noise ${slug} ${i}`));
    const cases = Array.from({ length: 120 }, (_x, i) => [`case${i}`, [mention('kept'), ...noise(i)]] as const);
    const tally = tallyOf(Object.fromEntries(cases));
    expect(tally.forgot).toBe(true);
    expect(tally.patterns().reported).toMatchObject([{ name: 'kept', frequency: 120 }]);
    expect(tallyOf({ a: [mention('x1')] }).forgot).toBe(false);
  });
});

describe('anti-patterns', () => {
  it('need one case, count cases, and take the first fix that one of them writes', () => {
    const tally = tallyOf(
      { a: [], b: [], c: [] },
      { a: [anti('No owner')], b: [anti('no owner', 'name one'), anti('Open end')], c: [anti('No owner', 'other')] },
    );
    expect(tally.antiPatterns().reported).toEqual([
      { name: 'No owner', occurrences: 3, fix: 'name one' },
      { name: 'Open end', occurrences: 1, fix: NO_FIX },
    ]);
  });
});
