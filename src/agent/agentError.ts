/** The supervisor is not there, or will not have this agent or message. The message ends in what to do. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
}
