import type { ExitRecord } from '../keeper/exitRecord';
import { asciiJson } from '../events/asciiJson';
import type { EventLine } from '../events/eventLine';
import type { Message } from './message';

/** Why an agent is started. All but `restart` begin the count of its restarts anew. */
export type StartCause = 'session' | 'person' | 'message' | 'restart' | 'turn';

/** How a sequential session is over. */
export const sequenceEnds = ['completed', 'max_iterations_reached', 'failed', 'stopped'] as const;
export type SequenceEnd = (typeof sequenceEnds)[number];

/**
 * Everything that the leader writes into a session's `eventlog.jsonl` (actors.md §1, §5, §6). `seq` in the data of a
 * message's event is the number of the line `MessageSent`. What an agent says of itself (`AgentStatus`) is in that line.
 */
export type SessionEvent =
  | Entry<'SessionStarted', { sessionId: string; mode: 'event-driven' | 'sequential'; by: string }>
  | Entry<'SessionStopped', { by: string }>
  /** Its keeper hosts its endpoints and waits for somebody to start it by hand. */
  | Entry<'AgentListening', OfAgent & { by: string }>
  /** Its keeper was told to start it; written before. */
  | Entry<'AgentStarting', OfAgent & { cause: StartCause }>
  /** It has connected. A pid never travels without its start time. */
  | Entry<'AgentStarted', OfAgent & { pid: number; startTime: string }>
  | Entry<'AgentConnected', OfAgent & { endpoint: 'private' | 'compatible' }>
  | Entry<'AgentDisconnected', OfAgent>
  /** A latch: only a person's start opens it again. */
  | Entry<'AgentStopRequested', OfAgent & { by: string }>
  | Entry<'AgentExited', OfAgent & { exitCode: number | null; exit?: ExitRecord }>
  | Entry<'AgentCrashed', OfAgent & Crash>
  /** `attempt` counts from 1 since the agent was last healthy for long; `at` is ISO 8601 UTC. */
  | Entry<'AgentRestartScheduled', OfAgent & { attempt: number; at: string }>
  | Entry<'AgentRestartCancelled', OfAgent & { by: string }>
  | Entry<'AgentParked', OfAgent & { until: string }>
  | Entry<'AgentGaveUp', OfAgent & { reason: string }>
  | Entry<'MessageSent', SentData>
  | Entry<'MessageDelivered', OfMessage & { redelivered?: true }>
  | Entry<'MessageAcked', OfMessage>
  | Entry<'MessageExpired', OfMessage>
  | Entry<'MessageUndeliverable', OfMessage & { reason: string }>
  | Entry<'InboxAnswered', { item: string; by: string }>
  | Entry<'InboxDismissed', { item: string; by: string }>
  /** Put off until then, ISO 8601 UTC; brought back where that is the moment itself. */
  | Entry<'InboxSnoozed', { item: string; until: string; by: string }>
  /** Sequential mode: the turn goes to `agent`. `from` is null at the start and the same agent after a crash. */
  | Entry<'TurnStarted', Turn>
  | Entry<'SequenceEnded', { status: SequenceEnd }>;

interface Entry<T extends string, D> {
  readonly type: T;
  readonly data: Readonly<D>;
}

interface OfAgent {
  readonly agent: string;
}

interface OfMessage {
  readonly id: string;
  readonly seq: number;
  readonly agent: string;
}

/** `exitCode` is null after a signal, −1 where nobody saw the end. */
interface Crash {
  readonly exitCode: number | null;
  readonly reason?: string;
  readonly exit?: ExitRecord;
  /** Of its output, display-safe; the same end again and again is told by it. */
  readonly lastLine?: string;
}

interface Turn {
  readonly agent: string;
  readonly from: string | null;
  readonly reason: string;
  /** What the one before had to say; kept here, because a crash begins the turn again with it. */
  readonly context: string;
  readonly iteration: number;
  readonly maxIterations: number | null;
}

/** A message that was accepted, and what the leader decided about it. */
export interface SentData {
  readonly message: Message;
  /** Agents that get it, in no order that matters; none where it is for the supervisor or the person. */
  readonly recipients: readonly string[];
  /** The sender's own count; null where the supervisor or the person sent it. */
  readonly number: number | null;
  /** Those of the recipients that are started for it where they do not run. */
  readonly starts?: readonly string[];
  /** `act`: it is for the person; `copy`: a coordinator has it too. */
  readonly inbox?: 'act' | 'copy';
  readonly claimedFrom?: string;
  readonly warnings?: readonly string[];
  /** It is the `CLIComplete` of the `CLIInvoke` whose `MessageSent` has this number. */
  readonly call?: number;
}

/** The line of a session's log with its newline: ASCII, and every text whole, because a message must arrive as it was. */
export function formatSessionLine({ seq, type, timestamp, data, epoch }: EventLine): string {
  return `${asciiJson({ seq, type, timestamp, data, epoch })}\n`;
}
