import { isRecord } from '../events/jsonGuards';
import type { EngineUsage } from './engineEvent';
import { noEngineFacts, sumOfUsage } from './engineFacts';
import { isEngineUsage } from './keptEngine';

/** All that was used up to an instant, epoch milliseconds. */
export interface UsageMark {
  readonly at: number;
  readonly total: EngineUsage;
}

/** Every time zone's day begins with one. */
const QUARTER_MS = 15 * 60_000;

/** More than two days of unbroken work; what is older belongs to no day that anybody asks for. */
const KEPT_MARKS = 200;

/**
 * The marks with what is used by now, the latest last: one for each quarter of an hour in which something was used, so
 * that `usedOn` can tell the days of any reader apart. Bounded.
 */
export function withUsage(marks: readonly UsageMark[], { at, total }: UsageMark): readonly UsageMark[] {
  const last = marks.at(-1);
  if (isSame(last?.total ?? nothing, total)) {
    return marks;
  }
  const isSameQuarter = last !== undefined && Math.floor(last.at / QUARTER_MS) === Math.floor(at / QUARTER_MS);
  return [...(isSameQuarter ? marks.slice(0, -1) : marks), { at, total }].slice(-KEPT_MARKS);
}

/** What was used at the instants that fit. */
export function usedOn(marks: readonly UsageMark[], fits: (at: number) => boolean): EngineUsage {
  return marks
    .map(({ at, total }, index) => ({ at, used: difference(total, marks[index - 1]?.total ?? nothing) }))
    .filter(({ at }) => fits(at))
    .reduce((sum, { used }) => sumOfUsage(sum, used), nothing);
}

/** Whether a value from a file is a list of marks. */
export function areUsageMarks(value: unknown): value is readonly UsageMark[] {
  return (
    Array.isArray(value) &&
    value.every((mark) => isRecord(mark) && typeof mark['at'] === 'number' && isEngineUsage(mark['total']))
  );
}

const nothing = noEngineFacts.usage;

function isSame(one: EngineUsage, other: EngineUsage): boolean {
  return (
    one.inputTokens === other.inputTokens && one.outputTokens === other.outputTokens && one.costUsd === other.costUsd
  );
}

function difference(total: EngineUsage, before: EngineUsage): EngineUsage {
  return {
    inputTokens: total.inputTokens - before.inputTokens,
    cachedTokens: total.cachedTokens - before.cachedTokens,
    outputTokens: total.outputTokens - before.outputTokens,
    costUsd: total.costUsd === null ? null : total.costUsd - (before.costUsd ?? 0),
  };
}
