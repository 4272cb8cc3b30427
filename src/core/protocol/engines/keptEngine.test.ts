import { describe, expect, it } from 'vitest';
import { noEngineFacts } from './engineFacts';
import { engineUsage, type EngineRecord, goingOn, isEngineRecord } from './keptEngine';

const usage = { inputTokens: 10, cachedTokens: 4, outputTokens: 3, costUsd: 0.5 };
const record: EngineRecord = {
  order: {
    stream: 'claude',
    interrupt: { signal: 'SIGINT', group: false },
    control: true,
    rollouts: null,
    leavings: ['.git'],
    answerMs: 1000,
    startMs: null,
  },
  facts: {
    ...noEngineFacts,
    sessionId: 'one',
    tools: [{ id: 't', tool: 'Write', file: 'a.md', writes: true }],
    files: ['a.md'],
    fileCount: 1,
    toolCount: 2,
    usage,
    asked: [{ requestId: 'r', isQuestion: false, tool: 'Write' }],
    failure: { fault: 'rate limited', text: 'why', resetsAt: 5 },
    end: 'done',
  },
  asks: [
    { requestId: 'r', isQuestion: false, tool: 'Write', text: 'a.md', choices: [], since: 'then', until: 'later' },
  ],
  answers: [{ requestId: 'q', allow: true, text: null, by: 'cli', tool: 'Bash', at: 'then' }],
  earlier: [{ sessionId: 'zero', usage, usageCovers: 'run' }],
  absent: ['/p/.git'],
};

type Json = Record<string, unknown>;

/** Every place inside a value, as the way to it. */
function placesIn(value: unknown, way: readonly string[] = []): readonly (readonly string[])[] {
  return typeof value !== 'object' || value === null
    ? [way]
    : Object.entries(value).flatMap(([key, inner]) => [[...way, key], ...placesIn(inner, [...way, key])]);
}

function changed(way: readonly string[], change: (holder: Json, key: string) => void): unknown {
  const copy = structuredClone(record) as unknown as Json;
  const holder = way.slice(0, -1).reduce<Json>((inner, key) => inner[key] as Json, copy);
  change(holder, way.at(-1) ?? '');
  return copy;
}

/** Of these nothing but that they are there is known beforehand, or not even that. */
const free = [
  /facts\.usageCovers/,
  /facts\.(retry|failure)\./,
  /allowanceResetsAt|lastUsageKey/,
  /tools\.0\.(id|writes)/,
  /asked\.0\.(isQ|tool)/,
];

describe('the record of a program that asks a model', () => {
  it('is taken as it was written', () => {
    expect(isEngineRecord(JSON.parse(JSON.stringify(record)))).toBe(true);
  });

  it('is refused where anything in it is of another kind', () => {
    const ways = placesIn(record).filter((way) => !free.some((pattern) => pattern.test(way.join('.'))));
    expect(ways.length).toBeGreaterThan(50);
    const taken = ways.filter((way) =>
      isEngineRecord(
        changed(way, (holder, key) => {
          holder[key] = new Date(0);
        }),
      ),
    );
    expect(taken.map((way) => way.join('.'))).toEqual([]);
  });

  it('goes on with what was used and done, and with nothing that was open', () => {
    const next = goingOn(record);
    expect(next.facts).toMatchObject({ sessionId: 'one', files: ['a.md'], toolCount: 2, end: null, failure: null });
    expect([next.asks, next.facts.asked, next.facts.tools]).toEqual([[], [], []]);
    expect(next.answers).toEqual(record.answers);
    expect(engineUsage(next)).toEqual(engineUsage(record));
    expect(engineUsage(record)).toEqual({ inputTokens: 20, cachedTokens: 8, outputTokens: 6, costUsd: 1 });
  });

  it('counts a session that tells all of its runs together once', () => {
    const session = { ...record, facts: { ...record.facts, usageCovers: 'session' as const } };
    const later = goingOn(session);
    const facts = { ...later.facts, usage: { ...usage, outputTokens: 9 }, usageCovers: 'session' as const };
    expect(engineUsage({ ...later, facts }).outputTokens).toBe(3 + 9);
  });
});
