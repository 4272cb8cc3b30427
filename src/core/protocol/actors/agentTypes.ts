/** The twelve types of the document (actors.md §4). */
export const coreTypes = [
  'WorkAssign',
  'WorkComplete',
  'WorkBlocked',
  'WorkAbandoned',
  'Query',
  'Response',
  'ProblemReport',
  'ValidationRequest',
  'ValidationResult',
  'AgentStatus',
  'PlanUpdate',
  'System',
] as const;

/** What existing agents send besides. */
export const moreTypes = [
  'DesignUpdate',
  'Retrospective',
  'ResearchUpdate',
  'Playtest',
  'CLIInvoke',
  'CLIComplete',
  'Bootstrap',
] as const;

export type AgentMessageType = (typeof coreTypes)[number] | (typeof moreTypes)[number];

const spellings: ReadonlyMap<string, AgentMessageType> = new Map(
  [...coreTypes, ...moreTypes].map((type) => [type.toLowerCase(), type]),
);

/** The type in its own spelling, whatever case it was written in; null where it is none of ours. */
export function knownType(word: string): AgentMessageType | null {
  return spellings.get(word.toLowerCase()) ?? null;
}
