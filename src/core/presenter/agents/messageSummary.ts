import type { Message } from '../../protocol/actors/message';
import { plainLine } from '../plainText';
import { joined } from '../rowWords';

/** What says most about a message, the first that its payload has. */
const SPEAKING = [
  'question',
  'answer',
  'title',
  'reason',
  'description',
  'notes',
  'message',
  'status',
  'validationType',
  'result',
  'systemEvent',
] as const;

function word(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? plainLine(String(value)) : '';
}

/** What a message says in one line, then its task: `build the login page · T-12`; empty where its payload has no words. */
export function messageSummary({ payload }: Message): string {
  const said = SPEAKING.map((key) => word(payload[key])).find((text) => text !== '') ?? '';
  return joined(said, word(payload['taskId']));
}
