import type { AgentSnapshot, MessageSnapshot } from '../../protocol/actors/sessionSnapshot';
import { plainLine, plainLog } from '../plainText';
import type { Reader } from '../words';
import { stageWord } from './stageWord';

/** A payload with every text shown letter by letter and line by line; what is empty says nothing. */
function payloadLines(payload: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(payload).flatMap(([key, value]) => {
    if (value === '' || value === null || (Array.isArray(value) && value.length === 0)) {
      return [];
    }
    const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
    const [first = '', ...others] = plainLog(text).split('\n');
    return [`    ${plainLine(key, 60)}: ${first}`, ...others.map((line) => `      ${line}`)];
  });
}

function messageLines({ seq, message, sentAt, stage }: MessageSnapshot, { t, dayAndTime, timeOfDay }: Reader): string {
  const { type, from, to, id, inReplyTo, payload } = message;
  const time = `${dayAndTime(sentAt).slice(0, 10)} ${timeOfDay(sentAt)}`;
  const answers = inReplyTo === undefined ? [] : [`    ${t('Answers')}: ${plainLine(inReplyTo)}`];
  return [
    `${time}  #${String(seq)}  ${plainLine(from, 40)} → ${plainLine(to, 40)}  ${plainLine(type, 40)}  (${stageWord(stage, t)})`,
    `    ${plainLine(id)}`,
    ...answers,
    ...payloadLines(payload),
  ].join('\n');
}

/** The newest messages from and to an agent as a document, the newest first. */
export function messagesText({ messages }: Pick<AgentSnapshot, 'messages'>, reader: Reader): string {
  return messages.length === 0
    ? reader.t('No messages yet.')
    : messages
        .toReversed()
        .map((shown) => messageLines(shown, reader))
        .join('\n\n');
}
