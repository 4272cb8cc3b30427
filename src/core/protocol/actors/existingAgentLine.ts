import { fail, ok, type Result } from '../../base/result';
import { existingAgentFault } from './existingAgentGuard';
import type { Message } from './message';
import { padLine } from './padLine';

/**
 * The bytes that carry a message to an existing agent, for one write; or why it must not get them, in a sentence for the
 * message's sender that ends in what to do (actors.md §2).
 */
export function existingAgentLine(message: Message): Result<Uint8Array, string> {
  const fault = existingAgentFault(message);
  if (fault !== null) {
    return fail(`The recipient could not read it: the message ${fault}. Change that and send it again.`);
  }
  const { id, type, from, to, timestamp, payload, inReplyTo } = message;
  const line = padLine(JSON.stringify({ id, type, from, to, timestamp, payload, inReplyTo }));
  return line === null
    ? fail(`The recipient cannot read more than 64 KiB. Put the content into a file and send its path.`)
    : ok(line);
}
