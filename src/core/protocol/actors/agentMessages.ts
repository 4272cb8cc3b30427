import type { MessageSnapshot, MessageStage } from './sessionSnapshot';
import type { RecentMoment, SessionMoment } from './sessionMoment';

/** How far a message with several recipients has come: as far as with the one who is furthest behind. */
const behindFirst: readonly MessageStage[] = ['undeliverable', 'expired', 'waiting', 'delivered', 'acked'];

/** The newest messages from and to an agent, newest last, as it or its surfaces see them. */
export function agentMessages({ agents, recent }: SessionMoment, agent: string): readonly MessageSnapshot[] {
  return (agents.get(agent)?.recent ?? []).flatMap((seq) => {
    const shown = recent.get(seq);
    return shown === undefined ? [] : [snapshotOf(seq, shown, agent)];
  });
}

function snapshotOf(seq: number, { message, sentAt, stages }: RecentMoment, agent: string): MessageSnapshot {
  const own = Object.hasOwn(stages, agent) ? stages[agent] : undefined;
  const of = Object.values(stages);
  // What no agent gets has arrived with the supervisor or the person.
  const stage = own ?? behindFirst.find((one) => of.includes(one)) ?? 'delivered';
  const sentMs = Date.parse(sentAt);
  return { seq, message, sentAt: Number.isNaN(sentMs) ? 0 : sentMs, stage, recipients: Object.keys(stages) };
}
