import type { AgentSnapshot } from '../../protocol/actors/sessionSnapshot';
import { formatDuration } from '../formatDuration';
import { plainLine } from '../plainText';
import { stateWord } from '../stateWord';
import { filesWritten, howItEnded, whyDocument } from '../whyText';
import type { Reader } from '../words';
import { agentActions } from './agentActions';
import { agentDescription } from './agentDescription';
import { messagesText } from './messagesText';

/** More are in the log of the session. */
const SHOWN_MESSAGES = 5;

function headLines(agent: AgentSnapshot, reader: Reader): readonly string[] {
  const { t, now, dayAndTime } = reader;
  const { state, startedAt, endedAt, attention } = agent;
  const word = state === null ? t('not started') : stateWord(state, t);
  const description = agentDescription(agent, reader);
  const ran =
    startedAt === null
      ? []
      : [t('Ran {0}, from {1}', formatDuration((endedAt ?? now) - startedAt), dayAndTime(startedAt))];
  return [
    `${agent.name} · ${description.startsWith(word) ? description : `${word} · ${description}`}`,
    ...ran,
    ...howItEnded(agent.exit, t),
    ...(agent.restarts === 0 ? [] : [t('Restarts so far: {0} of {1}', agent.restarts, agent.maxRestarts)]),
    ...(attention === null ? [] : [t('Last message: {0}', plainLine(attention.text, 1_000))]),
  ];
}

/**
 * How an agent came to be as it is, with the newest messages from and to it, which are its results, as plain text for a
 * terminal or a read-only document (lifecycle §4).
 */
export function agentWhyText(agent: AgentSnapshot, lastLines: readonly string[], reader: Reader): string {
  const { messages, evidence, engine } = agent;
  const newest = messages.slice(-SHOWN_MESSAGES);
  const lines = newest.length === 0 ? [] : messagesText({ messages: newest }, reader).split('\n');
  const results = [{ heading: reader.t('Messages'), lines }, filesWritten(engine, reader.t)];
  const actions = agentActions(agent, reader.t);
  return whyDocument({ head: headLines(agent, reader), results, evidence, actions, lastLines }, reader);
}
