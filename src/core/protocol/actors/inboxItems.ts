import { displayText } from '../workers/displayText';
import { taskOf } from './answers';
import type { Message } from './message';
import type { InboxItem, MessageSnapshot, MessageStage } from './sessionSnapshot';
import type { AgentMoment, ItemMoment, SessionMoment } from './sessionMoment';

/** Longest text of an item, characters. */
const TEXT_MAX = 500;

/**
 * What waits for a person, oldest first, each cause once (surfaces.md, "Needs you"); with what was put off and is not
 * back at `now`, epoch milliseconds.
 */
export function inboxItems({ agents, items }: SessionMoment, now: number): readonly InboxItem[] {
  const ofMessages = [...items].map(([id, item]) => itemOf(id, item, now));
  const ofAgents = [...agents].flatMap(([name, agent]) => endedItem(name, agent, now));
  return [...ofMessages, ...ofAgents].sort((a, b) => a.since - b.since);
}

function itemOf(id: string, item: ItemMoment, now: number): InboxItem {
  const { kind, agent, since, copy } = item;
  const canAnswer = kind === 'question' || kind === 'blocked' || kind === 'problem';
  const snoozedUntil = snoozeOf(item, now);
  const message = snapshotOf(item);
  return { id, kind, agent, text: textOf(item), since: msOf(since), message, canAnswer, copy, snoozedUntil };
}

/** Null once it is back. */
function snoozeOf({ snoozedUntil }: { readonly snoozedUntil?: string | null }, now: number): number | null {
  const until = msOf(snoozedUntil ?? '');
  return until > now ? until : null;
}

function snapshotOf({ kind, agent, seq, message, sentAt }: ItemMoment): MessageSnapshot {
  const undelivered = kind === 'expired' || kind === 'undeliverable';
  const stage: MessageStage = undelivered ? kind : 'delivered';
  return { seq, message, sentAt: msOf(sentAt), stage, recipients: undelivered ? [agent] : [] };
}

function textOf({ kind, agent, message, reason }: ItemMoment): string {
  switch (kind) {
    case 'question':
      return shown(wordsOf(message, ['question', 'validationType', 'description', 'message']));
    case 'blocked':
      return shown(withTask(message, wordsOf(message, ['reason', 'notes', 'message'])));
    case 'problem':
      return shown(withTask(message, wordsOf(message, ['description', 'message', 'problemType', 'notes'])));
    case 'expired':
      return shown(`${message.type} from ${message.from} to ${agent} was not picked up in time`);
    case 'undeliverable':
      return shown(`${message.type} from ${message.from} to ${agent}: ${reason ?? 'cannot be delivered'}`);
  }
}

/** The first of these texts that the payload has, the text that stood in its place, or what kind of message it is. */
function wordsOf({ payload, type }: Message, keys: readonly string[]): string {
  const texts = [...keys, 'value'].map((key) => payload[key]);
  return texts.find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? type;
}

function withTask(message: Message, text: string): string {
  const task = taskOf(message);
  return task === null ? text : `${task}: ${text}`;
}

function endedItem(name: string, agent: AgentMoment, now: number): readonly InboxItem[] {
  const { state, gaveUp, dismissed, reason, exitCode, endedAt, lastEventAt, exit } = agent;
  const since = msOf(endedAt ?? lastEventAt);
  const snoozedUntil = snoozeOf(agent, now);
  const about = { agent: name, since, message: null, canAnswer: false, copy: false, snoozedUntil };
  if (dismissed) {
    return [];
  }
  const fuse = exit?.fuse;
  if (fuse !== undefined && (state === 'stopped' || state === 'completed')) {
    return [{ id: `agent:${name}:fuse`, kind: 'fuse', text: shown(fuse), ...about }];
  }
  if (state !== 'failed') {
    return [];
  }
  const kind = gaveUp === null ? 'failed' : 'gave-up';
  const code = exitCode === null ? '' : ` (exit ${String(exitCode)})`;
  const text = shown(gaveUp ?? `${name} failed: ${reason ?? 'it crashed'}${code}`);
  return [{ id: `agent:${name}:${kind}`, kind, text, ...about }];
}

function shown(text: string): string {
  const line = displayText(text);
  return line.length > TEXT_MAX ? `${line.slice(0, TEXT_MAX - 1)}…` : line;
}

function msOf(time: string): number {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? 0 : ms;
}
