import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CaseScan } from './caseScan';

function scan(...texts: readonly string[]) {
  const found = new CaseScan();
  for (const text of texts) {
    found.take(text);
  }
  return found.findings();
}

function mentions(...texts: readonly string[]): readonly string[] {
  return scan(...texts).mentions.map(({ type, name, source }) => `${type} ${source}: ${name}`);
}

describe('what a case says', () => {
  it.each([
    [
      'a tag line',
      'Tags: cost-per-stop, import-first',
      ['solution named: cost-per-stop', 'solution named: import-first'],
    ],
    ['tags in front matter', '---\ntags: [a1, b2]\n---\n', ['solution named: a1', 'solution named: b2']],
    [
      'sentences with labels',
      'Pattern: cost per stop. Pattern: ask first.',
      ['solution named: cost per stop', 'solution named: ask first'],
    ],
    ['an emphasized label', '- **Technologies:** Redis, gRPC', ['technology named: Redis', 'technology named: gRPC']],
    ['a domain', 'Domain: last-mile', ['domain named: last-mile']],
    [
      'entries below a heading',
      '## Technology stack\n- **CSV import**: once a day\n- Headset SDK — live',
      ['technology named: CSV import', 'technology named: Headset SDK'],
    ],
    [
      'headings below a heading',
      '## Patterns\n### Pilot first\ntext\n## Sources\n### Mine',
      ['solution named: Pilot first', 'solution heading: Mine'],
    ],
    [
      'rows of a table',
      '## Solution patterns\n| # | Name |\n|---|---|\n| 1 | Slot first |',
      ['solution named: Slot first'],
    ],
    [
      'a heading of its own',
      '# Title\n## 3. Overflow on Mondays\n## Findings\n',
      ['solution heading: Overflow on Mondays'],
    ],
    ['code spans', 'uses `PostgreSQL` and `src/x.ts`', ['technology term: PostgreSQL']],
    [
      'Russian words',
      '## Технологии\n- ClickHouse\n\nТеги: пилот',
      ['technology named: ClickHouse', 'solution named: пилот'],
    ],
    ['nothing in a fence', '```\nTags: a1\n## Patterns\n- b2\n```', []],
  ])('is found in %s', (_where, text, expected) => {
    expect(mentions(text)).toEqual(expected);
  });

  it('counts once per case, and as named where it is named anywhere', () => {
    expect(mentions('## Pilot first\n', 'Tags: pilot-first, Pilot First (again)')).toEqual([
      'solution named: pilot-first',
    ]);
  });

  it('holds terms that are repeated, without stop words and not across sentences', () => {
    const text = 'The cold chain broke. A cold chain needs sensors.\nSensors, these sensors: because because because.';
    expect(mentions(text)).toEqual(['domain term: sensors', 'domain term: cold chain']);
  });
});

describe('what went wrong in a case', () => {
  it.each([
    ['a label', 'Anti-pattern: alarms without an owner.', 'alarms without an owner', null],
    ['a label with a fix', 'Anti-pattern: no owner. Fix: name one.', 'no owner', 'name one'],
    [
      'a bold entry',
      '## Lessons learned\n- **No owner.** It rang for days. Instead: name one.',
      'No owner',
      'name one',
    ],
    ['an entry with a colon', '## What did not work\n- Tours: drivers left', 'Tours', null],
    ['an arrow', '## Pitfalls\n- no metrics → fix the numbers first', 'no metrics', 'fix the numbers first'],
    ['a sub-entry', '## Anti-patterns\n- No owner\n  - seen twice\n  - Fix: name one', 'No owner', 'name one'],
    ['an entry and a fix of its own', '## Anti-patterns\n- No owner\n- Fix: name one', 'No owner', 'name one'],
    ['a table', '## Anti-patterns\n| What | Fix |\n|---|---|\n| No owner | name one |', 'No owner', 'name one'],
    ['a heading', '## Anti-patterns\n### No owner\nIt rang.\nFix: name one', 'No owner', 'name one'],
    ['a paragraph', '## What did not work\nNo owner was\nnamed. It rang.', 'No owner was named', null],
    ['Russian words', '## Антипаттерны\n- Нет метрик → KPI', 'Нет метрик', 'KPI'],
  ])('is found in %s', (_where, text, name, fix) => {
    expect(scan(text).antiPatterns).toMatchObject([{ name, fix }]);
  });

  it('takes the first fix that any file of the case gives', () => {
    const found = scan(
      'Anti-pattern: no owner',
      '## Lessons\n- No owner. Fix: name one.',
      '## Lessons\n- No owner. Fix: two.',
    );
    expect(found.antiPatterns).toEqual([{ name: 'no owner', key: 'no owner', fix: 'name one' }]);
  });
});

describe('any text', () => {
  const piece = fc.constantFrom(
    ...[
      '## Lessons\n',
      '## Patterns\n',
      '- ',
      '  - ',
      'Fix: ',
      'Tags: ',
      'Anti-pattern: ',
      '**',
      '→',
      '| ',
      '\n',
      '`x`',
      '. ',
    ],
    ...['a', 'б', '🚀', '\u0000', '\uD800', '__proto__', 'constructor'],
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join('')),
  );

  it('is scanned without harm, and every name is one short line with a key', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 3 }), (texts) => {
        const { mentions: said, antiPatterns } = scan(...texts);
        for (const { name, key } of [...said, ...antiPatterns]) {
          expect(name).not.toMatch(/[\p{Cc}`*<>]/u);
          expect(name.length).toBeLessThanOrEqual(120);
          expect(key).not.toBe('');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('costs what its size costs, however it is made', () => {
    const hostile = [
      '- '.repeat(500_000),
      '['.repeat(500_000),
      '**'.repeat(500_000),
      `${'a. '.repeat(300_000)}\n`,
      '|'.repeat(500_000),
    ];
    expect(
      scan(...hostile, 'x '.repeat(500_000), `## Lessons\n${'- a: b → c. Fix: d\n'.repeat(50_000)}`).antiPatterns,
    ).toHaveLength(1);
  });
});
