import { isMessage } from '../actors/isMessage';
import type { Message } from '../actors/message';
import { isRecord, readJson } from '../events/jsonGuards';
import type { AcceptedMessage } from './mail';

/** A message from the agent. Its number is its place: accepted lines count on from the head's `first`. */
export interface SpooledSend {
  readonly from: Message;
  readonly claimed?: string;
  readonly warnings?: readonly string[];
  /** On the private wire: the sender's process and its own number, so that what is sent again is not taken twice. */
  readonly run?: string;
  readonly n?: number;
}

/** What an agent's keeper remembers in one line of `spool.jsonl`; in the order in which it happened. */
export type SpoolLine =
  | SpooledSend
  | { readonly to: Message; readonly seq: number }
  /**
   * These went to the agent's process `by`. Written before they go: what is here may not have arrived. `cursor`: what our
   * runtime said that it had begun when it came.
   */
  | { readonly handed: readonly number[]; readonly by: string; readonly cursor?: number }
  | { readonly ended: readonly number[]; readonly how: MailEnd }
  /** The leader has these and all before them in its log. */
  | { readonly taken: number }
  /** Everything that is not taken got numbers so much higher, because the leader knew of more than this file. */
  | { readonly shift: number }
  | SpoolHead;

/** How the matter of a mail ended: acknowledged or answered; taken by an agent that answers nothing; taken back. */
export type MailEnd = 'acked' | 'done' | 'withdrawn';

/** What is left of everything before, when the spool is written anew. */
export interface SpoolHead {
  readonly spool: 1;
  /** Number of the first accepted message that follows. */
  readonly first: number;
  /** Mail up to here was there before, unless it follows. */
  readonly floor: number;
  /** Mail above that was there before, and how it ended. */
  readonly ends: readonly (readonly [number, MailEnd])[];
  /** The highest `n` of each process that sent something. */
  readonly runs: readonly (readonly [string, number])[];
}

/** Null where the line is none of a spool, e.g. torn. */
export function readSpoolLine(text: string): SpoolLine | null {
  const value = readJson(text);
  return isRecord(value) && isSpoolLine(value) ? (value as unknown as SpoolLine) : null;
}

/** By its first key; the writer is a keeper of ours, so it is the shape that counts. */
function isSpoolLine(value: Record<string, unknown>): boolean {
  const [key = ''] = Object.keys(value);
  switch (key) {
    case 'from':
      return isMessage(value['from']);
    case 'to':
      return isMessage(value['to']) && Number.isSafeInteger(value['seq']);
    case 'handed':
      return isNumbers(value['handed']) && typeof value['by'] === 'string';
    case 'ended':
      return isNumbers(value['ended']) && typeof value['how'] === 'string';
    case 'taken':
    case 'shift':
      return Number.isSafeInteger(value[key]);
    case 'spool':
      return value['spool'] === 1 && isHead(value);
    default:
      return false;
  }
}

function isHead({ first, floor, ends, runs }: Record<string, unknown>): boolean {
  const isRun = (run: unknown): boolean => Array.isArray(run) && typeof run[0] === 'string' && isNumbers([run[1]]);
  const isEnd = (end: unknown): boolean => Array.isArray(end) && isNumbers([end[0]]) && typeof end[1] === 'string';
  return isNumbers([first, floor]) && isArrayOf(ends, isEnd) && isArrayOf(runs, isRun);
}

function isNumbers(value: unknown): boolean {
  return isArrayOf(value, Number.isSafeInteger);
}

function isArrayOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

/** The accepted message of a line, as the leader hears of it. */
export function acceptedOf(number: number, { from, claimed, warnings }: SpooledSend): AcceptedMessage {
  return {
    number,
    message: from,
    ...(claimed === undefined ? {} : { claimedFrom: claimed }),
    ...(warnings === undefined ? {} : { warnings }),
  };
}

/**
 * The accepted messages above `taken` in the spool of a keeper that is dead: nobody else can tell the leader of them before
 * the agent's next start. `text` is the whole file; what is torn is left out.
 */
export function acceptedIn(text: string, taken: number): readonly AcceptedMessage[] {
  let next = 1;
  let found: AcceptedMessage[] = [];
  for (const line of text.split('\n').map(readSpoolLine)) {
    if (line === null) {
      continue;
    }
    if ('spool' in line) {
      next = line.first;
    } else if ('from' in line) {
      found.push(acceptedOf(next, line));
      next += 1;
    } else if ('taken' in line) {
      found = found.filter(({ number }) => number > line.taken);
    } else if ('shift' in line) {
      found = found.map((one) => ({ ...one, number: one.number + line.shift }));
      next += line.shift;
    }
  }
  return found.filter(({ number }) => number > taken);
}
