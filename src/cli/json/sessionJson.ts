import type { SessionAccepted } from '../../core/host/api';
import type { AgentSnapshot, InboxItem, MessageSnapshot } from '../../core/protocol/actors/sessionSnapshot';
import type { FleetSnapshot } from '../../core/protocol/snapshot';
import { fleetInbox, type FleetItem } from '../fleetInbox';
import { iso } from './planJson';
import { SCHEMA } from './schema';
import { evidenceJson } from './evidenceJson';

/** What was done about a session: `session start`, `agent stop`, `send` and the like, right after the request. */
export function acceptedJson({ message, agents, messageId }: SessionAccepted): object {
  return { schema: SCHEMA, message, agents, messageId };
}

/** `session status --json`. */
export function sessionJson({ at, root, session, leader }: FleetSnapshot): object {
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
    inbox: (session?.inbox ?? []).map(itemJson),
  };
}

/** `inbox --json`, oldest first. */
export function inboxJson(snapshot: FleetSnapshot): object {
  return { schema: SCHEMA, inbox: fleetInbox(snapshot).map(fleetItemJson) };
}

function fleetItemJson(item: FleetItem): object {
  const { ofSession, id, kind, worker, text, since, canAnswer, choices, until, copy } = item;
  return ofSession === null
    ? { id, kind, worker, text, since: iso(since), canAnswer, choices, until, copy, message: null }
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
    lastEventTime: iso(agent.lastEventAt),
    evidence: agent.evidence.map((evidence) => evidenceJson(evidence, at)),
  }));
}

function itemJson({ id, kind, agent, text, since, message, canAnswer, copy }: InboxItem): object {
  const about = message === null ? null : messageJson(message);
  return { id, kind, agent, text, since: iso(since), canAnswer, copy, message: about };
}

function messageJson({ seq, message, sentAt, stage, recipients }: MessageSnapshot): object {
  return { seq, sentAt: iso(sentAt), stage, recipients, message };
}
