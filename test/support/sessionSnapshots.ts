import type {
  AgentSnapshot,
  InboxItem,
  MessageSnapshot,
  SessionSnapshot,
} from '../../src/core/protocol/actors/sessionSnapshot';
import type { Message } from '../../src/core/protocol/actors/message';
import { START } from './snapshots';

/** An agent that runs and is connected since `START`, with the given differences. */
export function agentSnapshot(changes: Partial<AgentSnapshot> = {}): AgentSnapshot {
  const name = changes.name ?? 'developer';
  return {
    name,
    state: 'running',
    health: 'ok',
    attention: null,
    pid: 4711,
    connected: true,
    restarts: 0,
    maxRestarts: 3,
    nextRestartAt: null,
    startedAt: START,
    endedAt: null,
    exit: null,
    stop: null,
    status: null,
    currentTask: null,
    waiting: 0,
    messages: [],
    lastEventAt: START,
    evidence: [],
    engine: null,
    usageMarks: [],
    calls: [],
    folder: `/project/.claude/session/keepers/${name}`,
    logFile: `/project/.claude/session/logs/${name}.log`,
    ...changes,
  };
}

/** A message that was delivered at `START`, with the given differences. */
export function messageSnapshot(
  { seq = 7, stage = 'delivered' }: Partial<Pick<MessageSnapshot, 'seq' | 'stage'>>,
  changes: Partial<Message> = {},
): MessageSnapshot {
  const message = {
    id: `msg-20260301-143022-${String(seq).padStart(16, '0')}`,
    type: 'WorkAssign',
    from: 'pm',
    to: 'developer',
    timestamp: '2026-03-01T14:30:22.000Z',
    payload: { taskId: 'T-12', title: 'Build the login page' },
    ...changes,
  };
  return { seq, message, sentAt: START, stage, recipients: [message.to] };
}

/** A question of the developer, asked at `START`, with the given differences. */
export function inboxItem(changes: Partial<InboxItem> = {}): InboxItem {
  return {
    id: 'msg:7',
    kind: 'question',
    agent: 'developer',
    text: 'Which auth flow?',
    since: START,
    message: null,
    canAnswer: true,
    copy: false,
    snoozedUntil: null,
    ...changes,
  };
}

/** A session that runs since `START` with these agents. */
export function sessionSnapshot(
  agents: readonly AgentSnapshot[],
  changes: Partial<SessionSnapshot> = {},
): SessionSnapshot {
  return {
    mode: 'event-driven',
    running: true,
    startedAt: START,
    agents,
    inbox: [],
    turn: null,
    problems: [],
    ...changes,
  };
}
