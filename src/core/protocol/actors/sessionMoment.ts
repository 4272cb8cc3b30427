import type { ExitRecord } from '../keeper/exitRecord';
import type { WorkerStateKind } from '../snapshot';
import type { Message } from './message';
import type { SequenceEnd } from './sessionEvent';
import type { InboxItem, MessageStage } from './sessionSnapshot';

/** One agent as the log knows it at some moment. Times are ISO 8601 UTC. */
export interface AgentMoment {
  /** Null while it was never started. */
  readonly state: WorkerStateKind | null;
  /** A person starts it; we only listen. */
  readonly byHand: boolean;
  /** Of the process that runs, or ran last. */
  readonly process: { readonly pid: number; readonly startTime: string } | null;
  readonly connected: boolean;
  /** When the run that goes on, or went on last, was begun. */
  readonly startedAt: string | null;
  /** When that run was last seen to have connected for the first time. */
  readonly readyAt: string | null;
  readonly endedAt: string | null;
  /** −1: nobody saw the end. */
  readonly exitCode: number | null;
  readonly exit: ExitRecord | null;
  /** Why it counts as crashed, or null. */
  readonly reason: string | null;
  /** Who asked for its stop since it was last started, or null. */
  readonly stopBy: string | null;
  /** Stopped, or given up: no message starts it again, until a person or a new session does. */
  readonly held: boolean;
  /** Restarts in a row; the rule takes them as none after a long healthy run. */
  readonly restarts: number;
  /** When the newest restarts were decided, oldest first, at most 20. */
  readonly restartedAt: readonly string[];
  /** In `backoff` the next start, in `parked` the end of the wait. */
  readonly waitsUntil: string | null;
  readonly gaveUp: string | null;
  /** How often it ended in the same way, one after the other. */
  readonly sameEnd: { readonly exitCode: number | null; readonly lastLine: string; readonly times: number } | null;
  /** A person has seen that it failed and wants to hear no more of it. */
  readonly dismissed: boolean;
  /** Until when a person has put that off, ISO 8601 UTC, or null. */
  readonly snoozedUntil: string | null;
  readonly status: string | null;
  readonly currentTask: string | null;
  /** The highest number of a message of its own that is in the log. */
  readonly taken: number;
  /** Mail to it that was not delivered, oldest first: keys of `mail`. */
  readonly waiting: ReadonlySet<number>;
  /** Mail that it got and has not acknowledged: its id by its number, oldest first, at most 1,000. */
  readonly unacked: ReadonlyMap<number, string>;
  /** Ids of its own queries without a response, oldest first, at most 100. */
  readonly asked: ReadonlySet<string>;
  /** Keys of `recent`: the newest messages from and to it, at most 20. */
  readonly recent: readonly number[];
  /** The newest event that named it. */
  readonly lastEvent: number;
  readonly lastEventAt: string;
}

/** Mail on its way. Whole, because it is delivered from here. */
export interface MailMoment {
  readonly message: Message;
  readonly sentAt: string;
  /** Who has not got it yet; never empty. */
  readonly waitingFor: readonly string[];
  /** Who is to be started for it. */
  readonly starts: readonly string[];
}

/** A `CLIInvoke` that was accepted and has no `CLIComplete` yet. */
export interface CallMoment {
  readonly message: Message;
  readonly sentAt: string;
}

/** A message to show, with its payload clipped. */
export interface RecentMoment {
  readonly message: Message;
  readonly sentAt: string;
  /** By recipient. */
  readonly stages: Readonly<Record<string, MessageStage>>;
}

/** Something about a message that waits for a person. */
export interface ItemMoment {
  readonly kind: Exclude<InboxItem['kind'], 'gave-up' | 'failed' | 'fuse'>;
  readonly agent: string;
  /** Number of its `MessageSent`. */
  readonly seq: number;
  /** With its payload clipped, where that is very long. */
  readonly message: Message;
  readonly sentAt: string;
  readonly since: string;
  readonly copy: boolean;
  /** Until when a person has put it off, ISO 8601 UTC; absent: never. */
  readonly snoozedUntil?: string;
  /** Why it could not be delivered, or null. */
  readonly reason: string | null;
}

export interface TurnMoment {
  /** When it began, ISO 8601 UTC; a crash begins it anew and changes nothing here. */
  readonly since: string;
  readonly agent: string;
  /** Who had the turn before, or null at the first one; and what it had to say. */
  readonly from: string | null;
  readonly context: string;
  readonly iteration: number;
  readonly maxIterations: number | null;
  readonly status: 'running' | SequenceEnd;
}

/** A session as its log tells it, after the event `seq`. */
export interface SessionMoment {
  /** 0 before the first event. */
  readonly seq: number;
  readonly epoch: number;
  /** Timestamp of that event, or null. */
  readonly at: string | null;
  /** The session that runs, or ran last. */
  readonly session: {
    readonly id: string;
    readonly mode: 'event-driven' | 'sequential';
    readonly startedAt: string;
    readonly stoppedAt: string | null;
  } | null;
  readonly turn: TurnMoment | null;
  readonly agents: ReadonlyMap<string, AgentMoment>;
  /** By number, oldest first. */
  readonly mail: ReadonlyMap<number, MailMoment>;
  /** By number, oldest first. */
  readonly calls: ReadonlyMap<number, CallMoment>;
  /** By the item's id, oldest first. */
  readonly items: ReadonlyMap<string, ItemMoment>;
  readonly recent: ReadonlyMap<number, RecentMoment>;
}

/** Before the first event. */
export function emptySession(): SessionMoment {
  return {
    seq: 0,
    epoch: 0,
    at: null,
    session: null,
    turn: null,
    agents: new Map(),
    mail: new Map(),
    calls: new Map(),
    items: new Map(),
    recent: new Map(),
  };
}
