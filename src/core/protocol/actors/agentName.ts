/** What an agent may be called, before the name becomes a path, a pipe or an argument (actors.md §2). */
const AGENT_NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Names that stand for somebody else than an agent of the configuration. */
export const supervisorName = 'watchdog';
export const everybody = '*';
export const coordinatorName = 'pm';

/** Whether a text can be an agent's name. */
export function isAgentName(text: string): boolean {
  return AGENT_NAME.test(text);
}

/** Whoever sits in front of a surface; a message to this name goes to the inbox. */
export const personName = 'person';

/** Names that no agent of a session can have, because they mean somebody else. */
export function isReservedName(text: string): boolean {
  return text === supervisorName || text === personName;
}
