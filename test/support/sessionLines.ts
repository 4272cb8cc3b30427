import type { Message } from '../../src/core/protocol/actors/message';
import type { SessionEvent } from '../../src/core/protocol/actors/sessionEvent';
import { SessionFold } from '../../src/core/protocol/actors/sessionFold';
import { emptySession, type SessionMoment } from '../../src/core/protocol/actors/sessionMoment';
import type { EventLine } from '../../src/core/protocol/events/eventLine';

/** The instant of the event with that number: one a minute. */
export function instantOf(seq: number): string {
  return new Date(Date.UTC(2026, 2, 1) + seq * 60_000).toISOString();
}

export function lineOf({ type, data }: { readonly type: string; readonly data: object }, seq: number): EventLine {
  return { seq, type, timestamp: instantOf(seq), data: data as EventLine['data'], epoch: 1 };
}

/** The moment after these events, which are numbered from 1, or go on behind `from`. */
export function momentOf(
  events: readonly (SessionEvent | { readonly type: string; readonly data: object })[],
  from: SessionMoment = emptySession(),
): SessionMoment {
  const fold = new SessionFold(from);
  for (const [index, event] of events.entries()) {
    fold.apply(lineOf(event, from.seq + index + 1));
  }
  return fold.moment;
}

/** A message between agents; its id is unlike that of others only where it is given. */
export function aMessage(rest: Partial<Message> = {}): Message {
  return { id: 'm-1', type: 'Query', from: 'developer', to: 'pm', timestamp: 't', payload: {}, ...rest };
}

type Sent = Extract<SessionEvent, { type: 'MessageSent' }>;

/** That the message was accepted. */
export function sent(message: Message, recipients: readonly string[] = [], rest: Partial<Sent['data']> = {}): Sent {
  return { type: 'MessageSent', data: { message, recipients, number: 1, ...rest } };
}
