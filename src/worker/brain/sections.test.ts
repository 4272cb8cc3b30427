import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/tempProject';
import { openProject } from '../project/projectReader';
import { domainPatternsIn } from './domainPatterns';
import { harvestPatternsIn } from './harvestPatterns';
import { openingSentences, readSummary } from './researchSummary';
import { readSkill } from './skillMetadata';

describe('the metadata of a skill', () => {
  async function skill(text: string, more: Readonly<Record<string, string>> = {}) {
    return readSkill(openProject(await tempProject({ '.claude/skills/s/SKILL.md': text, ...more })), 's');
  }

  it('has exactly the keys of the protocol', async () => {
    const text = '---\nname: sizing\ndescription: >-\n  Estimates\n  a market.\ntrust_tier: 2\n---\n';
    expect(await skill(text, { '.claude/skills/s/references/x.md': '', '.claude/skills/s/modules': 'a file' })).toEqual(
      {
        name: 'sizing',
        description: 'Estimates a market.',
        trust_tier: 2,
        trust_label: 'Validated',
        has_references: true,
        has_modules: false,
        has_examples: false,
      },
    );
  });

  it.each([
    ['<!-- Trust Tier: 1 — Structured | Path to Tier 2: test it -->', 1, 'Structured'],
    ['<!-- Trust Tier: 3 - seen by a panel -->', 3, 'seen by a panel'],
    ['---\ntrust_tier: 0\n---\n', 0, 'Advisory'],
    ['# no word about it', null, 'not stated'],
    ['---\ntrust_tier: nine\n---\n', null, 'not stated'],
  ])('reads the trust tier of %j', async (text, tier, label) => {
    expect(await skill(text)).toMatchObject({ name: 's', trust_tier: tier, trust_label: label });
  });

  it('takes the first paragraph where no description is stated, and is nothing without a SKILL.md', async () => {
    expect(await skill('# S\n\nSorts **sources**.\n')).toMatchObject({ description: 'Sorts sources.' });
    expect(await readSkill(openProject(await tempProject()), 's')).toBeNull();
  });
});

describe('the rules of domains', () => {
  it('are the entries below each second-level heading, with the palette beside them', () => {
    const text =
      '# Rules\n- of no domain\n## Banking / FinTech\n- HITL is a must\n- **Palette:** Blue/Navy\n### Detail\n- more\n' +
      '## Detection\nBy words.\n## Retail\n- fast\n';
    expect(domainPatternsIn(text)).toEqual([
      { domain: 'Banking / FinTech', rules: ['HITL is a must', 'more'], palette: 'Blue/Navy' },
      { domain: 'Retail', rules: ['fast'], palette: null },
    ]);
  });
});

describe('the patterns of the harvest', () => {
  it.each([
    [
      'list entries',
      '## Patterns\n- *Pilot first*: yes\n- Cost per stop — always\n  - a detail\n',
      ['Pilot first', 'Cost per stop'],
    ],
    [
      'rows',
      '## Artifacts\n### Patterns (2)\n| # | Name |\n|---|---|\n| 1 | Gateway |\n| 2 | HMAC |\n',
      ['Gateway', 'HMAC'],
    ],
    ['headings', '## Patterns\n### Gateway\ntext\n### HMAC\n## Other\n### no\n', ['Gateway', 'HMAC']],
    [
      'several sections',
      '## Domain patterns\n- a1\n## Solution patterns\n- b1\n## Anti-patterns\n- c1\n',
      ['a1', 'b1'],
    ],
  ])('are counted as %s', (_how, text, patterns) => {
    expect(harvestPatternsIn(text)).toMatchObject({ patterns_count: patterns.length, patterns });
  });

  it('stand beside the counts of skills, commands and rules', () => {
    const text =
      '## Skills\n- sizing, source review, synthesis\n## Commands\n- `/brief`: x\n## Rules\n1. Two.\n2. Ask, then act.\n';
    expect(harvestPatternsIn(text)).toMatchObject({ skills_count: 3, commands_count: 1, rules_count: 2, patterns: [] });
  });
});

describe('the summary of a case', () => {
  it('is the first paragraph of the executive summary, at most three sentences, as plain text', () => {
    expect(openingSentences('# Title\n\n- a list\n\n**One.** Two\nlines. Three! Four.\n\nNext.')).toBe(
      'One. Two lines. Three!',
    );
    expect(openingSentences('# Title only')).toBe('');
  });

  it('falls back to what the case was opened with, and says that it is incomplete', async () => {
    const root = await tempProject({
      'researches/x/00_discovery.md': '# Discovery\n\nWhat do lockers cost?\n',
      'researches/x/README.md': 'Domain: retail',
    });
    expect(await readSummary(openProject(root), 'x')).toEqual({
      slug: 'x',
      domain: 'retail',
      status: 'incomplete',
      summary: 'What do lockers cost?',
    });
  });
});

it('no text of any file breaks a section', () => {
  const piece = fc.constantFrom(
    '## Patterns\n',
    '## X\n',
    '- ',
    '| ',
    '|-|\n',
    'Palette: ',
    '\n',
    '**',
    'a, b',
    '. ',
    '---\n',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (any) => {
      expect(harvestPatternsIn(any).patterns.every((name) => name !== '' && !name.includes('\n'))).toBe(true);
      expect(domainPatternsIn(any).every(({ domain }) => !domain.includes('\n'))).toBe(true);
      expect(openingSentences(any)).not.toContain('\n');
    }),
    { numRuns: 500 },
  );
});
