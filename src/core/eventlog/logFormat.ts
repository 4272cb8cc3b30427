import type { EventLine } from '../protocol/events/eventLine';

/** What every log tells of its own end. */
export interface LogMoment {
  /** Of the last event; 0 before the first one. */
  readonly seq: number;
  readonly epoch: number;
}

/** Folds the lines of one log into a moment, one after another. A line that makes no sense only moves the place on. */
export interface LogFold<M extends LogMoment> {
  readonly seq: number;
  /** After the last line; what it holds may move on with the fold. */
  readonly moment: M;
  apply(line: EventLine): void;
}

/** What tells one kind of log from another: what its lines mean, and how they and its snapshots are written. */
export interface LogFormat<M extends LogMoment> {
  readonly empty: () => M;
  readonly foldFrom: (moment: M) => LogFold<M>;
  /** A snapshot's text, and the moment in it; null when it is none. */
  readonly formatMoment: (moment: M) => string;
  readonly readMoment: (text: string) => M | null;
  /** One line with its newline. */
  readonly formatLine: (line: EventLine) => string;
  /** No line is longer, bytes. */
  readonly lineBytes: number;
  /** How many lines one write may have. */
  readonly batchLines: number;
  /**
   * The log is turned over above this size, bytes, and not before it is as large as its latest snapshot: about what a replay
   * reads at most, while snapshots take no more room than the lines.
   */
  readonly segmentBytes: number;
  /**
   * The file stays open for so long behind a write, milliseconds, because opening it costs as much as the next write. None:
   * it is closed at once, and never in the way of whoever unmounts the disk.
   */
  readonly keptOpenMs?: number;
  /** How many closed segments are kept, the newest ones; absent: all. */
  readonly keptSegments?: number;
}

/** One log: where it is, and what kind it is. */
export interface LogPlace<M extends LogMoment> {
  /** Where new lines are added. */
  readonly current: string;
  /** Folder of what was turned over. */
  readonly closedDir: string;
  readonly format: LogFormat<M>;
}
