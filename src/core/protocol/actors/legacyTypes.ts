import { type AgentMessageType, knownType } from './agentTypes';

/** The names of the protocol's first version, by what they are called now (actors.md §4). */
const legacyNames: Partial<Record<AgentMessageType, readonly string[]>> = {
  AgentStatus: ['agent_ready', 'status_update'],
  WorkAssign: ['task_assign', 'asset_assign'],
  ValidationRequest: ['validation_request', 'test_plan_request', 'regression_request'],
  WorkComplete: ['task_complete', 'implementation_complete', 'work_complete', 'asset_ready'],
  WorkAbandoned: ['task_abandoned'],
  WorkBlocked: ['work_blocked'],
  ProblemReport: ['bug_report', 'quality_concern'],
  Query: ['question', 'asset_question', 'design_question', 'reference_request', 'skill_request'],
  Response: [
    'answer',
    'design_answer',
    'design_guidance',
    'priority_response',
    'research_response',
    'skill_improvements',
  ],
  DesignUpdate: ['gdd_ready', 'gdd_update', 'mechanic_proposal'],
  Retrospective: ['retrospective_initiate', 'retrospective_contribution'],
  PlanUpdate: ['prd_reorganized', 'prd_update'],
  ResearchUpdate: ['research_request', 'research_update'],
  ValidationResult: ['test_plan_contribution'],
  Playtest: ['playtest_request', 'playtest_report'],
  System: ['shutdown', 'error'],
};

const legacyTypes: ReadonlyMap<string, AgentMessageType> = new Map(
  Object.entries(legacyNames).flatMap(([type, names]) =>
    names.map((name) => [name, type as AgentMessageType] as const),
  ),
);

/** What a word means as a message's type, in any case and of either version; null where nobody knows it. */
export function meantType(word: string): AgentMessageType | null {
  return knownType(word) ?? legacyTypes.get(word.toLowerCase()) ?? null;
}

/** What the names `shutdown` and `error` say beyond their type; null for every other word. */
export function legacySystemEvent(word: string): 'shutdown' | 'error' | null {
  const name = word.toLowerCase();
  return name === 'shutdown' || name === 'error' ? name : null;
}

/**
 * Existing runtimes send requests for a validation as `WorkAssign` (actors.md §4). True where the work says that it is
 * one, by its kind of work or by the field that only a validation has.
 */
export function isValidationAsWork(payload: Readonly<Record<string, unknown>>): boolean {
  const { workType, validationType } = payload;
  const named = typeof workType === 'string' && meantType(workType) === 'ValidationRequest';
  return named || typeof validationType === 'string';
}
