import { asciiText } from './asciiJson';
import { isRecord, readJson } from './jsonGuards';

/** One line of an event log, in the format of actors.md §1 with the epoch of the leader that wrote it. */
export interface EventLine {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly type: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly epoch: number;
}

/** A text from a stranger's file is no longer than this in the log, characters. */
const TEXT_MAX = 1_000;

/** The line with its newline. ASCII only, because Windows PowerShell 5.1 reads such files in the ANSI code page. */
export function formatEventLine({ seq, type, timestamp, data, epoch }: EventLine): string {
  const text = JSON.stringify({ seq, type, timestamp, data, epoch }, (_key, value: unknown) =>
    typeof value === 'string' && value.length > TEXT_MAX ? value.slice(0, TEXT_MAX) : value,
  );
  return `${asciiText(text)}\n`;
}

/** Reads one line by a hand-written guard; null when it is none. A line without `epoch` counts as epoch 0. */
export function readEventLine(text: string): EventLine | null {
  const value = readJson(text);
  if (!isRecord(value)) {
    return null;
  }
  const { seq, type, timestamp, data, epoch = 0 } = value;
  const sound =
    isCount(seq) && isCount(epoch) && typeof type === 'string' && typeof timestamp === 'string' && isRecord(data);
  return sound ? { seq, type, timestamp, data, epoch } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
