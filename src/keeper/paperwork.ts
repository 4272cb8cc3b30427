import type { ExitRecord } from '../core/protocol/keeper/exitRecord';
import type { ControlMethod } from '../core/system/controlServer';
import type { ProcessEnd, WatchedProcess } from './startProcess';

/** What the keeper saw of an end. */
export interface EndEvidence extends ProcessEnd {
  readonly stopRequested: boolean;
  readonly outOfMemory: boolean;
  /** There was a process; else its start was given up. */
  readonly started: boolean;
}

/** What is judged of an end, beside its numbers. */
export type ExitVerdict = Pick<ExitRecord, 'class' | 'reason' | 'says' | 'remedy' | 'transient' | 'resetsAt'>;

/**
 * What a keeper does for what it keeps beside its record, its output and its tree: files of the protocol for a background
 * worker, a mailbox for a session agent.
 */
export interface Paperwork {
  /** The readable log; its folder is there. */
  readonly logFile: string;
  /** What the environment of what is started has besides. */
  readonly moreEnv: Readonly<Record<string, string>>;
  /** More methods of the keeper's pipe. */
  readonly methods: Readonly<Record<string, ControlMethod>>;
  /** First of all, also for a process that is taken over. Rejects when it cannot be done; then nothing is started. */
  open(): Promise<void>;
  /** Just before the start. Rejects when the disk refuses. */
  begin(): Promise<void>;
  /** What runs where no command is started; null where one is. */
  instead(): WatchedProcess | null;
  /** It runs now. `end` ends it without anybody's request. */
  watch(end: () => Promise<void>): void;
  /** Makes again what somebody removed. Rejects when the disk refuses. */
  mend(): Promise<void>;
  /** The polite request. */
  askToStop(): Promise<void>;
  /** Whether somebody asked for a stop who did not tell the keeper. */
  isStopAsked(): Promise<boolean>;
  /** What kind of end it was, and why the keeper itself ended it. */
  judge(evidence: EndEvidence): Promise<ExitVerdict>;
  /** Writes what the worker left out. Rejects when the disk refuses. */
  writeEnd(exit: ExitRecord, error: string): Promise<void>;
  /** The end of the readable log. */
  lastLines(): string;
  /** The end is on the disk and nobody knows of it yet. */
  close(): Promise<void>;
}
