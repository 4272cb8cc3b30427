import type { TriggersConfig } from '../config/configModel';

/** What the project's files say that a trigger asks for (workers.md §6). Instants are epoch milliseconds. */
export interface TriggerFacts {
  /** When each completed case was completed. */
  readonly casesCompletedAt: readonly number[];
  /** The most cases that a consolidate run says it analysed; 0 where none says so. */
  readonly casesConsolidated: number;
  /** The newest sign of a bto-test, or null. */
  readonly btoTestAt: number | null;
  /** The newest result of a health check, or null; results outlive the registry's entries. */
  readonly healthCheckedAt: number | null;
}

/** A worker of the registry, as far as a trigger asks. */
export interface KnownStart {
  readonly type: string;
  readonly startedAt: number;
}

/** Something that may be worth a start; nothing starts before a person says so. */
export interface Suggestion {
  /** The same for the same occasion for ever, so that it is made once. */
  readonly id: string;
  readonly type: string;
  /** One plain sentence, in English. */
  readonly reason: string;
}

export interface TriggerQuestion {
  readonly facts: TriggerFacts;
  readonly starts: readonly KnownStart[];
  readonly triggers: TriggersConfig;
  /** Ids of suggestions that a person has answered. */
  readonly answered: ReadonlySet<string>;
}

/** The suggestions that hold now (workers.md §6). Those that were answered are never made again. */
export function suggestionsFor(question: TriggerQuestion): readonly Suggestion[] {
  return [consolidate(question), healthCheck(question)]
    .filter((suggestion) => suggestion !== null)
    .filter(({ id }) => !question.answered.has(id));
}

/** Due with the n-th completed case, until a run has seen n: one that started since, or one that says so. */
function consolidate({ facts, starts, triggers }: TriggerQuestion): Suggestion | null {
  const wanted = triggers.consolidateAfterCases;
  if (wanted === null) {
    return null;
  }
  const due = facts.casesCompletedAt.toSorted((a, b) => a - b)[wanted - 1];
  if (due === undefined || facts.casesConsolidated >= wanted || startedAfter(starts, 'consolidate', due)) {
    return null;
  }
  const count = facts.casesCompletedAt.length;
  const cases = count === 1 ? '1 completed case has' : `${String(count)} completed cases have`;
  return { id: `consolidate:${String(wanted)}`, type: 'consolidate', reason: `${cases} not been consolidated yet.` };
}

/** Due with a bto-test, until a health check has run since. */
function healthCheck({ facts, starts, triggers }: TriggerQuestion): Suggestion | null {
  const { btoTestAt, healthCheckedAt } = facts;
  if (!triggers.healthCheckAfterBtoTest || btoTestAt === null) {
    return null;
  }
  if ((healthCheckedAt !== null && healthCheckedAt >= btoTestAt) || startedAfter(starts, 'health-check', btoTestAt)) {
    return null;
  }
  const id = `health-check:${new Date(btoTestAt).toISOString().slice(0, 19)}Z`;
  return { id, type: 'health-check', reason: 'A bto-test ran, and no health check has run since.' };
}

/** The registry keeps whole seconds: a start in the same second counts as later. */
function startedAfter(starts: readonly KnownStart[], type: string, at: number): boolean {
  return starts.some((start) => start.type === type && start.startedAt >= Math.floor(at / 1000) * 1000);
}
