import type { EngineSnapshot } from '../engines/engineSnapshot';
import type { UsageMark } from '../engines/usageMarks';
import type { ExitRecord } from '../keeper/exitRecord';
import type { StopReceipt } from '../keeper/stopReceipt';
import type { Attention, Evidence, WorkerHealth, WorkerStateKind } from '../snapshot';
import type { Message } from './message';

/** How far a message has come. */
export type MessageStage = 'waiting' | 'delivered' | 'acked' | 'expired' | 'undeliverable';

/** A message as a surface shows it. Times are epoch milliseconds. */
export interface MessageSnapshot {
  /** Its number in the session's log. */
  readonly seq: number;
  readonly message: Message;
  readonly sentAt: number;
  readonly stage: MessageStage;
  readonly recipients: readonly string[];
}

/** One agent of a session, complete and immutable. Times ending in `At` are epoch milliseconds. */
export interface AgentSnapshot {
  readonly name: string;
  /** `null`: it is configured and was never started in this session. */
  readonly state: WorkerStateKind | null;
  readonly health: WorkerHealth;
  readonly attention: Attention | null;
  readonly pid: number | null;
  readonly connected: boolean;
  /** Restarts since the counter was last at zero, and how many there may be. */
  readonly restarts: number;
  readonly maxRestarts: number;
  /** In `backoff`, and in `parked` the end of the wait. */
  readonly nextRestartAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly exit: ExitRecord | null;
  readonly stop: StopReceipt | null;
  /** What it says it is doing (`AgentStatus`), or null. */
  readonly status: string | null;
  readonly currentTask: string | null;
  /** Messages to it that it has not got yet. */
  readonly waiting: number;
  /** The newest messages from and to it, newest last, at most 20. */
  readonly messages: readonly MessageSnapshot[];
  readonly lastEventAt: number | null;
  readonly evidence: readonly Evidence[];
  /** What its engine does and used, for itself or for its calls; null for agents that have used none. */
  readonly engine: EngineSnapshot | null;
  /** When its engine used what; empty for agents that are no engine's. */
  readonly usageMarks: readonly UsageMark[];
  /** When its calls were accepted that are not answered yet, oldest first; the first one runs (actors.md §4). */
  readonly calls: readonly number[];
  /** Absolute paths. */
  readonly folder: string;
  readonly logFile: string;
}

/** Something that waits for a person, one per cause. */
export interface InboxItem {
  /** Stable: `msg:<seq>` or `agent:<name>:<cause>`. */
  readonly id: string;
  readonly kind: 'question' | 'blocked' | 'problem' | 'gave-up' | 'failed' | 'fuse' | 'expired' | 'undeliverable';
  readonly agent: string;
  /** One line, display-safe. */
  readonly text: string;
  readonly since: number;
  /** The message it is about, where it is about one. */
  readonly message: MessageSnapshot | null;
  /** Whether an answer can be given in place: it becomes a Response, or a WorkAssign for blocked work. */
  readonly canAnswer: boolean;
  /** A coordinator agent has it too; the person need not act. */
  readonly copy: boolean;
  /** Until when a person has put it off, epoch milliseconds; null where nobody has, or it is back. */
  readonly snoozedUntil: number | null;
}

/** The session of one root as its files tell it. */
export interface SessionSnapshot {
  readonly mode: 'event-driven' | 'sequential';
  /** Whether a session was started and not stopped. */
  readonly running: boolean;
  readonly startedAt: number | null;
  /** In the order of `.vscode/workers.json`, then those that only the log knows. */
  readonly agents: readonly AgentSnapshot[];
  /** Oldest first. */
  readonly inbox: readonly InboxItem[];
  /** Sequential mode: the agent whose turn it is, and how often the turn changed. */
  readonly turn: {
    readonly agent: string;
    readonly iteration: number;
    readonly maxIterations: number | null;
    readonly status: string;
  } | null;
  /** Troubles that belong to no single agent, each ending in what to do. */
  readonly problems: readonly string[];
}
