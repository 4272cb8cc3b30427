import type { AgentLine } from '../../core/protocol/actors/readAgentLine';
import type { SpooledSend } from '../../core/protocol/keeper/spoolLine';

/** What the spool keeps of a message that was read. */
export function sendOf({ message, warnings, claimedFrom }: Extract<AgentLine, { kind: 'message' }>): SpooledSend {
  return {
    from: message,
    ...(claimedFrom === undefined ? {} : { claimed: claimedFrom }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
