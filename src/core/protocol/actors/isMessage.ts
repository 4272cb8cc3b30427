import { isRecord } from '../events/jsonGuards';
import { isNestedAtMost } from './jsonWalk';
import type { Message } from './message';

/** More than any message that was ever accepted; what is deeper could overflow the stack of whoever writes it out. */
const MAX_DEPTH = 200;

/** Whether a value from a file or a keeper is a message. */
export function isMessage(value: unknown): value is Message {
  return (
    isRecord(value) &&
    ['id', 'type', 'from', 'to', 'timestamp'].every((key) => typeof value[key] === 'string') &&
    isRecord(value['payload']) &&
    (value['inReplyTo'] === undefined || typeof value['inReplyTo'] === 'string') &&
    isNestedAtMost(value, MAX_DEPTH)
  );
}
