/** The engine takes no requests for a while: the message is not handled, and comes again when the agent is started then. */
export class TurnLimited extends Error {
  override readonly name = 'TurnLimited';
}
