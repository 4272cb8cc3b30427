import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attestedAt, btoDateOf } from './btoTest';
import { formatSuggestionDocument, readSuggestionDocument } from './suggestionDocument';
import { suggestionsFor, type TriggerFacts, type TriggerQuestion } from './triggers';

const facts: TriggerFacts = { casesCompletedAt: [], casesConsolidated: 0, btoTestAt: null, healthCheckedAt: null };
const HOUR = 3_600_000;

function suggested(changes: Partial<TriggerFacts>, question: Partial<TriggerQuestion> = {}): readonly string[] {
  return suggestionsFor({
    facts: { ...facts, ...changes },
    starts: [],
    triggers: { consolidateAfterCases: 3, healthCheckAfterBtoTest: true },
    answered: new Set(),
    ...question,
  }).map(({ id }) => id);
}

describe('consolidate is suggested', () => {
  const three = { casesCompletedAt: [30_000, 10_000, 20_000] };

  it('after the third completed case and not before', () => {
    expect(suggested({ casesCompletedAt: [1, 2] })).toEqual([]);
    expect(suggested(three)).toEqual(['consolidate:3']);
  });

  it('until a run has started after the third was completed', () => {
    const start = (startedAt: number, type = 'consolidate') => ({ starts: [{ type, startedAt }] });
    expect(suggested(three, start(29_000))).toEqual(['consolidate:3']);
    expect(suggested(three, start(31_000, 'pattern-analysis'))).toEqual(['consolidate:3']);
    expect(suggested(three, start(30_000))).toEqual([]);
  });

  it('until a result says that it holds three cases, whoever made it', () => {
    expect(suggested({ ...three, casesConsolidated: 2 })).toEqual(['consolidate:3']);
    expect(suggested({ ...three, casesConsolidated: 3 })).toEqual([]);
  });

  it('after as many cases as the configuration says, or never', () => {
    const after = (consolidateAfterCases: number | null) => ({
      triggers: { consolidateAfterCases, healthCheckAfterBtoTest: true },
    });
    expect(suggested({ casesCompletedAt: [1] }, after(1))).toEqual(['consolidate:1']);
    expect(suggested(three, after(4))).toEqual([]);
    expect(suggested(three, after(null))).toEqual([]);
  });

  it('once: an answer is for ever', () => {
    expect(suggested(three, { answered: new Set(['consolidate:3']) })).toEqual([]);
  });
});

describe('a health check is suggested', () => {
  it('after a bto-test, until one has started or left its report since', () => {
    const id = 'health-check:1970-01-01T01:00:00Z';
    expect(suggested({ btoTestAt: HOUR })).toEqual([id]);
    expect(suggested({ btoTestAt: HOUR, healthCheckedAt: HOUR - 1 })).toEqual([id]);
    expect(suggested({ btoTestAt: HOUR, healthCheckedAt: HOUR })).toEqual([]);
    expect(suggested({ btoTestAt: HOUR }, { starts: [{ type: 'health-check', startedAt: HOUR }] })).toEqual([]);
  });

  it('anew after the next bto-test, also when the first was dismissed', () => {
    const answered = new Set(['health-check:1970-01-01T01:00:00Z']);
    expect(suggested({ btoTestAt: HOUR }, { answered })).toEqual([]);
    expect(suggested({ btoTestAt: 2 * HOUR }, { answered })).toEqual(['health-check:1970-01-01T02:00:00Z']);
  });

  it('never when the configuration says so', () => {
    const triggers = { consolidateAfterCases: 3, healthCheckAfterBtoTest: false };
    expect(suggested({ btoTestAt: HOUR }, { triggers })).toEqual([]);
  });
});

describe('a bto-test', () => {
  const now = Date.parse('2026-03-05T12:00:00Z');
  const mtimeMs = Date.parse('2026-03-05T11:00:00Z');
  const attestation = (...times: readonly unknown[]): number | null =>
    attestedAt({ text: JSON.stringify({ evaluations: times.map((time) => ({ completed_at: time })) }), mtimeMs, now });
  const skill = (date: string): number | null =>
    btoDateOf({ text: `---\nname: x\nbto_date: ${date}\n---\n# X\n`, mtimeMs, now });

  it('is as old as the newest evaluation that can be true', () => {
    expect(attestation('2026-03-01T08:00:00Z', '2026-03-04T08:00:00Z', '2036-01-01T00:00:00Z', 7)).toBe(
      Date.parse('2026-03-04T08:00:00Z'),
    );
  });

  it('whose evaluations give no usable time is as old as its file', () => {
    expect(attestation(null, 'yesterday')).toBe(mtimeMs);
  });

  it('without an evaluation never was', () => {
    expect(attestation()).toBeNull();
    expect(attestedAt({ text: '[]', mtimeMs, now })).toBeNull();
  });

  it.each([
    ['2026-03-01T08:00:00Z', '2026-03-01T08:00:00Z'],
    ['"2026-03-01"  # first run', '2026-03-01T00:00:00Z'],
    ['2026-03-05', '2026-03-05T11:00:00Z'],
  ])('with bto_date %s was at %s', (text, time) => {
    expect(skill(text)).toBe(Date.parse(time));
  });

  it.each(['soon', '2036-01-01', ''])('with bto_date %j never was', (text) => {
    expect(skill(text)).toBeNull();
  });

  it('in any text never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        attestedAt({ text, mtimeMs, now });
        btoDateOf({ text: `---\n${text}\n---\n`, mtimeMs, now });
      }),
    );
  });
});

describe('suggestions.json', () => {
  it('reads what it wrote', () => {
    const answers = new Map([['consolidate:3', { answer: 'dismissed' as const, at: '2026-03-05T12:00:00Z' }]]);
    const memory = { answers, btoTestAt: HOUR };
    expect(readSuggestionDocument(formatSuggestionDocument(memory))).toEqual(memory);
  });

  it('keeps the newest five hundred answers', () => {
    const entries = Array.from({ length: 600 }, (_, index) => [`health-check:${String(index)}`, index] as const);
    const answers = new Map(entries.map(([id]) => [id, { answer: 'started' as const, at: 'x' }]));
    const kept = readSuggestionDocument(formatSuggestionDocument({ answers, btoTestAt: null })).answers;
    expect([kept.size, kept.has('health-check:99'), kept.has('health-check:100')]).toEqual([500, false, true]);
  });

  it('that is anything else remembers nothing and does not throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readSuggestionDocument(text).answers.size).toBe(0);
      }),
    );
  });
});
