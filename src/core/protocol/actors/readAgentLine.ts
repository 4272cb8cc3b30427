import type { RandomHex } from '../../base/randomId';
import { isRecord, readJson } from '../events/jsonGuards';
import { displayText } from '../workers/displayText';
import { coordinatorName, supervisorName } from './agentName';
import { isNestedAtMost } from './jsonWalk';
import { legacySystemEvent, meantType } from './legacyTypes';
import type { Message } from './message';
import { newMessageId } from './messageId';

/** A line is at most so long, bytes (actors.md §2). */
const MAX_BYTES = 1024 * 1024;

/** Deeper payloads are refused, so that nothing that writes one out later can overflow the stack. */
const MAX_DEPTH = 100;

/** Top-level keys with a meaning; `n` numbers a message on the private wire. */
const KNOWN_KEYS: ReadonlySet<string> = new Set(['id', 'type', 'from', 'to', 'timestamp', 'payload', 'inreplyto', 'n']);

/** Whose line it is, and what fills in what the sender left out. */
export interface LineSource {
  /** The agent at whose endpoint the line came in. */
  readonly agent: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly randomHex: RandomHex;
}

/** What a line of an agent is. A reason is a sentence for its sender and ends in what to do. */
export type AgentLine =
  | {
      readonly kind: 'message';
      readonly message: Message;
      readonly warnings: readonly string[];
      /** What the sender wrote as `from`, where that was another name. */
      readonly claimedFrom?: string;
    }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'error'; readonly reason: string };

/** Reads any line as a message of that agent (actors.md §2–§4). Never throws; blank lines and `null` mean nothing. */
export function readAgentLine(line: string, source: LineSource): AgentLine {
  const text = line.replace(/^\uFEFF+/, '').trim();
  if (text === '') {
    return { kind: 'ignored' };
  }
  if (isTooLong(text)) {
    return error(tooLongReason);
  }
  const value = readJson(text);
  return value === undefined
    ? error('This line is no JSON. Send one JSON object on one line, in UTF-8.')
    : readAgentValue(value, source);
}

/** The answer to a line above 1 MiB. */
export const tooLongReason = 'This line is longer than 1 MiB. Put the content into a file and send its path.';

/** Reads a line that was parsed already; the same promise. */
export function readAgentValue(value: unknown, source: LineSource): AgentLine {
  if (value === null) {
    return { kind: 'ignored' };
  }
  if (!isRecord(value)) {
    return error('This line is no JSON object. Send one with the keys type, to and payload.');
  }
  if (!isNestedAtMost(value, MAX_DEPTH)) {
    return error(`This message is nested deeper than ${String(MAX_DEPTH)} levels. Put the content into a file.`);
  }
  const fields = fieldsOf(value);
  const word = textOf(fields.get('type'));
  return word === null
    ? error('This message has no type. Name one, such as WorkComplete or Query.')
    : messageOf(word, fields, source);
}

function messageOf(word: string, fields: ReadonlyMap<string, unknown>, source: LineSource): AgentLine {
  const meant = meantType(word);
  const inReplyTo = textOf(fields.get('inreplyto'));
  const claimedFrom = textOf(fields.get('from')) ?? source.agent;
  const message: Message = {
    id: textOf(fields.get('id')) ?? newMessageId(source.now, source.randomHex),
    type: meant ?? word,
    from: source.agent,
    to: textOf(fields.get('to')) ?? usualRecipient(meant),
    timestamp: textOf(fields.get('timestamp')) ?? new Date(source.now).toISOString(),
    payload: payloadOf(fields.get('payload'), word),
    ...(inReplyTo === null ? {} : { inReplyTo }),
  };
  const warnings = meant === null ? [`The type ${shown(word)} is not known here; it was passed on as it is.`] : [];
  return {
    kind: 'message',
    message,
    warnings: [...warnings, ...strangeRecipient(fields.get('to'), message.to), ...unknownKeys(fields)],
    ...(claimedFrom === source.agent ? {} : { claimedFrom }),
  };
}

/** By lower-case name: PowerShell does not mind how a key is written. The exact spelling wins over others. */
function fieldsOf(record: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const fields = new Map(Object.entries(record).map(([key, value]) => [key.toLowerCase(), value]));
  for (const key of ['id', 'type', 'from', 'to', 'timestamp', 'payload', 'inReplyTo']) {
    if (Object.hasOwn(record, key)) {
      fields.set(key.toLowerCase(), record[key]);
    }
  }
  return fields;
}

function textOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** Status and calls are for the supervisor; everything else goes to whoever coordinates. */
function usualRecipient(type: string | null): string {
  return type === 'AgentStatus' || type === 'CLIInvoke' ? supervisorName : coordinatorName;
}

/** Nothing, or something that is no object, must not get lost; `shutdown` and `error` are types no longer. */
function payloadOf(value: unknown, word: string): Message['payload'] {
  const given = isRecord(value) ? value : value === undefined || value === null ? {} : { value };
  const systemEvent = legacySystemEvent(word);
  return systemEvent === null ? given : { systemEvent, ...given };
}

/** A list of names, for example: it must not look as if all of them got it. */
function strangeRecipient(to: unknown, meant: string): readonly string[] {
  return to === undefined || to === null || typeof to === 'string' || typeof to === 'number'
    ? []
    : [`The recipient was no name, so it went to ${meant}. Name one agent, or * for all that run.`];
}

function unknownKeys(fields: ReadonlyMap<string, unknown>): readonly string[] {
  const unknown = [...fields.keys()].filter((key) => !KNOWN_KEYS.has(key));
  const names = unknown.slice(0, 5).map(shown).join(', ');
  return unknown.length === 0 ? [] : [`Keys beside the payload were left out: ${names}.`];
}

function shown(word: string): string {
  return displayText(word).slice(0, 60);
}

/** Counts bytes only where the number of characters leaves that open. */
function isTooLong(text: string): boolean {
  const unsure = text.length <= MAX_BYTES && text.length * 3 > MAX_BYTES;
  return unsure ? new TextEncoder().encode(text).length > MAX_BYTES : text.length > MAX_BYTES;
}

function error(reason: string): AgentLine {
  return { kind: 'error', reason };
}
