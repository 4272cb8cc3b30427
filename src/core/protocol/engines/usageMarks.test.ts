import { describe, expect, it } from 'vitest';
import { noEngineFacts } from './engineFacts';
import { areUsageMarks, type UsageMark, usedOn, withUsage } from './usageMarks';

const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 2, 2);

function total(outputTokens: number, costUsd: number | null = null): UsageMark['total'] {
  return { ...noEngineFacts.usage, outputTokens, costUsd };
}

/** The marks after these totals, each at its instant. */
function marked(...uses: readonly (readonly [number, number, (number | null)?])[]): readonly UsageMark[] {
  return uses.reduce<readonly UsageMark[]>(
    (marks, [at, tokens, cost = null]) => withUsage(marks, { at, total: total(tokens, cost) }),
    [],
  );
}

describe('what was used on a day', () => {
  const marks = marked(
    [MIDNIGHT - HOUR, 10, 1],
    [MIDNIGHT - 1, 15, 1.5],
    [MIDNIGHT, 17, 1.75],
    [MIDNIGHT + HOUR, 30, 4],
  );

  it('is what came on top of the days before', () => {
    expect(usedOn(marks, (at) => at >= MIDNIGHT)).toEqual(total(15, 2.5));
    expect(usedOn(marks, (at) => at < MIDNIGHT)).toEqual(total(15, 1.5));
    expect(usedOn(marks, (at) => at > MIDNIGHT + 2 * HOUR)).toEqual(total(0));
  });

  it('is told for a reader in any zone, also where days begin at a quarter of an hour', () => {
    const inNepal = MIDNIGHT - 5.75 * HOUR;
    const around = marked([inNepal - 1, 3], [inNepal, 5], [inNepal + 1, 9]);
    expect(usedOn(around, (at) => at >= inNepal)).toEqual(total(6));
  });

  it('knows no price where nobody told one', () => {
    expect(usedOn(marked([MIDNIGHT, 4]), () => true)).toEqual(total(4));
    expect(usedOn(marked([MIDNIGHT, 4], [MIDNIGHT + HOUR, 6, 0.5]), () => true)).toEqual(total(6, 0.5));
  });

  it('takes little room: one mark for a quarter of an hour, none where nothing was used, and the latest ones', () => {
    const quarter = HOUR / 4;
    expect(marked([MIDNIGHT, 1], [MIDNIGHT + 1, 2], [MIDNIGHT + quarter, 2], [MIDNIGHT + quarter, 3])).toEqual([
      { at: MIDNIGHT + 1, total: total(2) },
      { at: MIDNIGHT + quarter, total: total(3) },
    ]);
    const uses = Array.from({ length: 1_000 }, (_none, index) => [MIDNIGHT + index * quarter, index + 1] as const);
    const many = marked(...uses);
    expect(many).toHaveLength(200);
    expect(usedOn(many, (at) => at > MIDNIGHT + 900 * quarter)).toEqual(total(99));
  });

  it('is read from a file only where it is whole', () => {
    expect(areUsageMarks(JSON.parse(JSON.stringify(marks)))).toBe(true);
    expect([null, {}, [null], [{ at: 'now', total: total(1) }], [{ at: 1, total: {} }]].some(areUsageMarks)).toBe(
      false,
    );
  });
});
