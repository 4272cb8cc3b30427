import { ok } from '../base/result';
import type { InboxItem, SessionSnapshot } from '../protocol/actors/sessionSnapshot';
import type { Surface } from '../protocol/workers/surface';
import type { FuseReset, Outcome, SessionApi } from './api';

/** The blown fuse of the session agent with this name, or with this id in the inbox; null where there is none. */
export function agentFuseNamed(name: string, session: SessionSnapshot | null): InboxItem | null {
  const blown = session?.inbox.filter(({ kind }) => kind === 'fuse') ?? [];
  return blown.find(({ agent, id }) => agent === name || id === name) ?? null;
}

/** Takes note that a person has seen it: it leaves the inbox, in the session's log too. The agent may be started again. */
export async function resetAgentFuse(
  { id: item, agent, text: fuse }: InboxItem,
  session: Pick<SessionApi, 'dismiss'>,
  requestedBy: Surface,
): Promise<Outcome<FuseReset>> {
  const dismissed = await session.dismiss({ item, requestedBy });
  const message = `The fuse of ${agent} is reset (${fuse}). It can be started again.`;
  return dismissed.ok ? ok({ workerId: null, fuse, message }) : dismissed;
}
