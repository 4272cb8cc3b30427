import type { SessionAccepted, Snoozed } from '../../core/host/api';
import type { AgentSnapshot, InboxItem, MessageSnapshot } from '../../core/protocol/actors/sessionSnapshot';
import type { FleetSnapshot } from '../../core/protocol/snapshot';
import { type FleetItem, openInbox, snoozedInbox } from '../fleetInbox';
import { iso } from './planJson';
import { SCHEMA } from './schema';
import { evidenceJson } from './evidenceJson';

/** What was done about a session: `session start`, `agent stop`, `send` and the like, right after the request. */
export function acceptedJson({ message, agents, messageId }: SessionAccepted): object {
  return { schema: SCHEMA, message, agents, messageId };
}

/** `session status --json`. */
export function sessionJson(snapshot: FleetSnapshot): object {
  const { at, root, session, leader } = snapshot;
  const shown =
    session === null
      ? null
      : {
          mode: session.mode,
          running: session.running,
          startedAt: iso(session.startedAt),
          turn: session.turn,
          problems: session.problems,
        };
  return {
    schema: SCHEMA,
    at: new Date(at).toISOString(),
    root,
    leader: leader === null ? null : { pid: leader.pid, surface: leader.surface, since: leader.since },
    session: shown,
    agents: agentsJson(session?.agents ?? [], at),
    ...itemsJson(snapshot),
  };
}

/** `inbox --json`, oldest first; what was put off stands for itself. */
export function inboxJson(snapshot: FleetSnapshot): object {
  return { schema: SCHEMA, ...itemsJson(snapshot) };
}

function itemsJson(snapshot: FleetSnapshot): object {
  return { inbox: openInbox(snapshot).map(fleetItemJson), snoozed: snoozedInbox(snapshot).map(fleetItemJson) };
}

/** `inbox snooze --json` and `inbox unsnooze --json`. */
export function snoozedJson({ item, until, deniedAt }: Snoozed): object {
  return { schema: SCHEMA, item, until: iso(until), deniedAt: iso(deniedAt) };
}

function fleetItemJson(item: FleetItem): object {
  const { ofSession, id, kind, worker, text, since, canAnswer, choices, until, copy } = item;
  const snoozedUntil = iso(item.snoozedUntil);
  return ofSession === null
    ? { id, kind, worker, text, since: iso(since), canAnswer, choices, until, copy, snoozedUntil, message: null }
    : itemJson(ofSession);
}

/** The `agents` of surfaces.md; `at` is the instant of the look, epoch milliseconds. */
export function agentsJson(agents: readonly AgentSnapshot[], at: number): readonly object[] {
  return agents.map((agent) => ({
    name: agent.name,
    state: agent.state,
    health: agent.health,
    pid: agent.pid,
    connected: agent.connected,
    restarts: agent.restarts,
    maxRestarts: agent.maxRestarts,
    nextRestartAt: iso(agent.nextRestartAt),
    waiting: agent.waiting,
    attention: agent.attention,
    status: agent.status,
    currentTask: agent.currentTask,
    startedAt: iso(agent.startedAt),
    endedAt: iso(agent.endedAt),
    exit: agent.exit,
    engine: agent.engine,
    calls: agent.calls.map((since) => ({ since: iso(since) })),
    lastEventTime: iso(agent.lastEventAt),
    evidence: agent.evidence.map((evidence) => evidenceJson(evidence, at)),
  }));
}

function itemJson({ id, kind, agent, text, since, message, canAnswer, copy, snoozedUntil }: InboxItem): object {
  const about = message === null ? null : messageJson(message);
  const times = { since: iso(since), snoozedUntil: iso(snoozedUntil) };
  return { id, kind, agent, text, ...times, canAnswer, copy, message: about };
}

/** A message with how far it has come. */
export function messageJson({ seq, message, sentAt, stage, recipients }: MessageSnapshot): object {
  return { seq, sentAt: iso(sentAt), stage, recipients, message };
}
