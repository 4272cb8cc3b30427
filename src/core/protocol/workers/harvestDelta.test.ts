import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHarvestDelta, planHarvest } from './harvestDelta';

const ID = 'wkr-20260301-143022-consolidate';
const delta = `# Harvest Delta — 2026-03-01T14:30:22Z

Made from 3 cases.

## New Patterns Discovered

### Domain Patterns

- **Pilot first** (3 cases)

### Technology Patterns

\`\`\`md
## not a heading
\`\`\`

### Solution Patterns

## Recommendations

- Read the cases again.
`;
const harvest = `# Toolkit harvest

What has proved itself.

## Rules
- Two sources per number.

## Recommendations
- Old advice.

## Patterns
- Cost per stop.
`;

function take(text: string, ids: readonly string[], workerId = ID): string {
  const sections = parseHarvestDelta(delta).filter(({ id }) => ids.includes(id));
  return planHarvest(text, sections, workerId).text;
}

describe('a harvest delta', () => {
  it('has a section for each third-level heading and for each second-level one with text of its own', () => {
    expect(parseHarvestDelta(delta)).toEqual([
      {
        kind: 'section',
        id: 'new-patterns-discovered/domain-patterns',
        title: 'Domain Patterns',
        parent: 'New Patterns Discovered',
        body: '- **Pilot first** (3 cases)',
      },
      {
        kind: 'section',
        id: 'new-patterns-discovered/technology-patterns',
        title: 'Technology Patterns',
        parent: 'New Patterns Discovered',
        body: '```md\n## not a heading\n```',
      },
      {
        kind: 'section',
        id: 'recommendations',
        title: 'Recommendations',
        parent: null,
        body: '- Read the cases again.',
      },
    ]);
  });

  it('that names two sections alike keeps them apart', () => {
    const ids = parseHarvestDelta('## A\nx\n## A\ny\n## a!\nz\n').map(({ id }) => id);
    expect(ids).toEqual(['a', 'a.2', 'a.3']);
  });

  it('of any text gives sections with unique ids and never throws', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const ids = parseHarvestDelta(text).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});

describe('a piece that says where it belongs', () => {
  const instructions = (...pieces: readonly (readonly [string, string])[]): string =>
    [
      '## Application Instructions',
      '',
      'Each piece stands alone.',
      ...pieces.flatMap(([place, line], index) => [
        '',
        `${String(index + 1)}. Append to the section \`## ${place}\` of \`TOOLKIT_HARVEST.md\`:`,
        '',
        '   ```markdown',
        `   ${line}`,
        '   ```',
      ]),
    ].join('\n');
  const applied = (text: string, ...pieces: readonly (readonly [string, string])[]): string =>
    planHarvest(text, parseHarvestDelta(instructions(...pieces)), ID).text;

  it('is offered by itself, in place of the instructions around it', () => {
    expect(parseHarvestDelta(instructions(['Patterns', '- **CSV import**']))).toEqual([
      { kind: 'piece', id: 'piece/4', title: '- **CSV import**', parent: 'Patterns', body: '- **CSV import**' },
    ]);
  });

  it('becomes one more line of its section’s list', () => {
    expect(applied(harvest, ['Rules', '- New rule.'], ['Patterns', '- New pattern.'])).toBe(
      harvest
        .replace('- Two sources per number.\n', '- Two sources per number.\n- New rule.\n')
        .replace('- Cost per stop.\n', '- Cost per stop.\n- New pattern.\n'),
    );
  });

  it('brings its section along where that is missing, and the next one joins it there', () => {
    expect(applied('# H\n', ['Anti-patterns', '- A.'], ['Anti-patterns', '- B.'])).toBe(
      '# H\n\n## Anti-patterns\n\n- A.\n- B.\n',
    );
  });

  it('keeps its distance from a text that is no list, and from a heading that follows at once', () => {
    expect(applied('## A\nText.\n## B\n', ['A', '- x'])).toBe('## A\nText.\n\n- x\n\n## B\n');
    expect(applied('## A\r\n- a\r\n## B', ['A', '- x'])).toBe('## A\r\n- a\r\n- x\r\n\r\n## B');
    expect(applied('## A', ['A', '- x'])).toBe('## A\n\n- x\n');
  });

  it('that the file holds is not added again', () => {
    const once = applied(harvest, ['Rules', '- New rule.']);
    expect(applied(once, ['Rules', '- New rule.'])).toBe(once);
  });
});

describe('taking a section over', () => {
  it('adds it to the end of the section of the same name', () => {
    expect(take(harvest, ['recommendations'])).toBe(
      harvest.replace(
        '- Old advice.\n\n',
        `- Old advice.\n\n<!-- harvested: ${ID} recommendations -->\n- Read the cases again.\n\n`,
      ),
    );
  });

  it('makes the headings that are missing, and uses them for the next', () => {
    const ids = ['new-patterns-discovered/domain-patterns', 'new-patterns-discovered/technology-patterns'];
    expect(take(harvest, ids)).toBe(`${harvest}
## New Patterns Discovered

### Domain Patterns

<!-- harvested: ${ID} new-patterns-discovered/domain-patterns -->
- **Pilot first** (3 cases)

### Technology Patterns

<!-- harvested: ${ID} new-patterns-discovered/technology-patterns -->
\`\`\`md
## not a heading
\`\`\`
`);
  });

  it('begins a file that is empty', () => {
    expect(take('', ['recommendations'])).toBe(
      `## Recommendations\n\n<!-- harvested: ${ID} recommendations -->\n- Read the cases again.\n`,
    );
  });

  it('keeps Windows line ends and a last line without one', () => {
    const text = take('# H\r\n\r\n## Recommendations\r\n- Old', ['recommendations']);
    expect(text).toBe(
      `# H\r\n\r\n## Recommendations\r\n- Old\r\n\r\n<!-- harvested: ${ID} recommendations -->\r\n- Read the cases again.\r\n`,
    );
  });

  it('twice adds nothing, also after a person has reworded what was added', () => {
    const once = take(harvest, ['recommendations']);
    expect(take(once, ['recommendations'])).toBe(once);
    const reworded = once.replace('- Read the cases again.', '- Read them once more.');
    expect(take(reworded, ['recommendations'])).toBe(reworded);
  });

  it('adds nothing where another worker proposed the same words', () => {
    const once = take(harvest, ['recommendations']);
    expect(take(once, ['recommendations'], 'wkr-20260302-143022-consolidate')).toBe(once);
  });

  it('loses nothing of the old text, adds every section whole, and is complete after one time', () => {
    fc.assert(
      fc.property(markdown, markdown, (old, proposed) => {
        const sections = parseHarvestDelta(proposed);
        const { text, applied, present } = planHarvest(old, sections, ID);
        expect(isWithin(old, text)).toBe(true);
        expect(applied.length + present.length).toBe(sections.length);
        const lines = text.split(/\r\n|\n|\r/).join('\n');
        expect(applied.every(({ body }) => lines.includes(body))).toBe(true);
        expect(planHarvest(text, sections, ID).text).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

const line = fc.oneof(
  fc.constantFrom(
    '# T',
    '## A',
    '## B ##',
    '### A',
    '### C',
    '#### D',
    '```',
    '~~~~',
    '',
    '- x',
    '## ',
    ...['1. Append to the section `## A` of `TOOLKIT_HARVEST.md`:', '   ```', '   - y'],
    '<!-- -->',
  ),
  fc.string({ maxLength: 8 }),
);
const markdown = fc
  .tuple(fc.array(line, { maxLength: 15 }), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\uFEFF'))
  .map(([lines, eol, start]) => start + lines.join(eol));

/** Whether `old` is left when characters are taken out of `text`. */
function isWithin(old: string, text: string): boolean {
  let at = 0;
  for (const character of text) {
    at += character === [...old.slice(at, at + 2)][0] ? character.length : 0;
  }
  return at === old.length;
}
