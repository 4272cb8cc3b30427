import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHarvestDelta, planHarvest } from '../../core/protocol/workers/harvestDelta';
import { harvestDelta } from './harvestDelta';
import { HarvestFile } from './harvestFile';
import type { PatternsReport } from './patternsReport';
import { NO_FIX } from './patternTally';

const ID = 'wkr-20260301-143022-consolidate';
const report: PatternsReport = {
  generated_at: '2026-03-01T14:30:22Z',
  worker_id: ID,
  cases_analyzed: 3,
  patterns: [
    { type: 'solution', name: 'Pilot first', frequency: 3, confidence: 'medium', source_cases: ['a', 'b', 'c'] },
    { type: 'technology', name: 'CSV import', frequency: 2, confidence: 'low', source_cases: ['a', 'b'] },
  ],
  anti_patterns: [
    { name: 'No owner', occurrences: 1, fix: 'name one' },
    { name: 'Open end', occurrences: 2, fix: NO_FIX },
  ],
  recommendations: ['Counted, not understood.'],
};

const harvest = '# Harvest\n\n## Rules\n- x\n\n## Proven patterns\n- *Pilot-first*: yes\n\n## Anti-Patterns\n';

describe('the harvest delta', () => {
  it('is this text for this report', () => {
    expect(harvestDelta(report, new HarvestFile(harvest))).toBe(`# Harvest Delta — 2026-03-01T14:30:22Z

Written by ${ID} from 3 completed cases. Nothing was changed; take over what is good.

## New Patterns Discovered

### Domain Patterns

### Technology Patterns

- **CSV import** (2 cases, low confidence): a, b

### Solution Patterns

## Recommendations

- Counted, not understood.
- Avoid **No owner**: went wrong in 1 case. Instead: name one.
- Avoid **Open end**: went wrong in 2 cases.

## Application Instructions

Each piece stands alone. Append its line at the end of the section that it names, before the next heading of the
same or a higher level; where the section is missing, add it as a second-level heading at the end of the file first.

1. Append to the section \`## Proven patterns\` of \`TOOLKIT_HARVEST.md\`:

   \`\`\`markdown
   - **CSV import**: seen in a, b (low confidence).
   \`\`\`

2. Append to the section \`## Anti-Patterns\` of \`TOOLKIT_HARVEST.md\`:

   \`\`\`markdown
   - **No owner**: went wrong in 1 case. Instead: name one.
   \`\`\`

3. Append to the section \`## Anti-Patterns\` of \`TOOLKIT_HARVEST.md\`:

   \`\`\`markdown
   - **Open end**: went wrong in 2 cases.
   \`\`\`
`);
  });

  it('proposes default sections to a harvest that has none of its own', () => {
    const text = harvestDelta(report, new HarvestFile(''));
    expect(text.match(/^\d+\. Append to the section .*$/gm)).toEqual([
      '1. Append to the section `## Patterns` of `TOOLKIT_HARVEST.md`:',
      '2. Append to the section `## Patterns` of `TOOLKIT_HARVEST.md`:',
      '3. Append to the section `## Anti-patterns` of `TOOLKIT_HARVEST.md`:',
      '4. Append to the section `## Anti-patterns` of `TOOLKIT_HARVEST.md`:',
    ]);
  });

  it('prefers the section of its own kind', () => {
    const file = new HarvestFile('## Patterns\n## Technology patterns\n## Anti-patterns\n');
    expect(['domain', 'technology', 'anti'].map((kind) => file.sectionFor(kind as 'domain'))).toEqual([
      'Patterns',
      'Technology patterns',
      'Anti-patterns',
    ]);
  });

  it('says so when there is nothing new', () => {
    const text = harvestDelta({ ...report, patterns: [], anti_patterns: [] }, new HarvestFile(''));
    expect(text).toContain('There is nothing to add to `TOOLKIT_HARVEST.md`.');
  });

  it('is taken over by the review, piece by piece into the sections of the file, and once only', () => {
    const text = '# Harvest\n\n## **Proven** patterns\n\n- x\n\n## Rules\n\n- y\n';
    const pieces = parseHarvestDelta(harvestDelta(report, new HarvestFile(text))).filter(
      ({ kind }) => kind === 'piece',
    );
    const taken = planHarvest(text, pieces, ID).text;
    expect(taken.split(/\n+/)).toEqual([
      '# Harvest',
      '## **Proven** patterns',
      '- x',
      '- **Pilot first**: seen in a, b, c (medium confidence).',
      '- **CSV import**: seen in a, b (low confidence).',
      '## Rules',
      '- y',
      '## Anti-patterns',
      '- **No owner**: went wrong in 1 case. Instead: name one.',
      '- **Open end**: went wrong in 2 cases.',
      '',
    ]);
    const again = harvestDelta(report, new HarvestFile(taken));
    expect(parseHarvestDelta(again).map(({ title }) => title)).toEqual(['Recommendations', 'Application Instructions']);
  });

  it('keeps its headings whatever a case folder is called', () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(name, { minLength: 2, maxLength: 20 }), (cases) => {
        const patterns = [
          { type: 'domain', name: 'x', frequency: cases.length, confidence: 'low', source_cases: cases },
        ] as const;
        const text = harvestDelta({ ...report, patterns, anti_patterns: [] }, new HarvestFile(''));
        expect(text.match(/^#.*$/gm)).toHaveLength(7);
      }),
    );
  });
});
