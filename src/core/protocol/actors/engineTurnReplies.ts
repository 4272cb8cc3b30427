import { fail, ok, type Result } from '../../base/result';
import { type JsonRecord, readRecord, textAt } from '../features/jsonFields';
import { isRecord } from '../events/jsonGuards';
import { coordinatorName } from './agentName';
import { knownType } from './agentTypes';
import { expectsAnswer, taskOf } from './answers';
import type { Message } from './message';

/** How a turn ended: with the engine's last answer, or with what failed and what a person can do about it. */
export type EngineTurnEnd =
  | { readonly kind: 'done'; readonly text: string }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** Of its program; absent where that left with 0, by a signal, or never began. */
      readonly exitCode?: number;
    };

/** A message that a turn sends. */
export interface TurnMessage {
  readonly to: string;
  readonly type: string;
  readonly payload: JsonRecord;
  readonly inReplyTo?: string;
}

export interface TurnReplies {
  readonly messages: readonly TurnMessage[];
  /** Why lines of the answer were not sent, one sentence each. */
  readonly faults: readonly string[];
}

/** With a line of one of these the model says itself how the message ends. */
const ENDS = new Set(['WorkComplete', 'WorkBlocked', 'WorkAbandoned', 'Query', 'Response', 'ValidationResult']);
const ABOUT_A_TASK = new Set(['WorkComplete', 'WorkBlocked', 'WorkAbandoned', 'ValidationResult']);
/** What supervisor and runtime say, and what would start a program: no model may. */
const NOT_FOR_MODELS = new Set(['System', 'AgentStatus', 'CLIInvoke', 'CLIComplete', 'Bootstrap']);
/** An existing agent takes no line above 64 KiB. */
const MAX_TEXT = 8_000;

/** What the end of a turn sends: the lines of JSON in the answer, and the rest of it as the answer to the message. */
export function engineTurnReplies(agent: string, message: Message, end: EngineTurnEnd): TurnReplies {
  if (end.kind === 'failed') {
    return { messages: failureMessages(message, end.reason), faults: [] };
  }
  const read = end.text.split('\n').map((line) => ({ line, sent: readLine(line, agent, message) }));
  const lines = read.flatMap(({ sent }) => (sent?.ok === true ? [sent.value] : []));
  const faults = read.flatMap(({ sent }) => (sent?.ok === false ? [sent.error] : []));
  const rest = read.flatMap(({ line, sent }) => (sent === null ? [line] : []));
  const isEnded = lines.some(({ type }) => ENDS.has(type));
  return { messages: isEnded ? lines : [...lines, ...answerTo(message, clipped(rest.join('\n').trim()))], faults };
}

/** A line that is no message at all is null: a part of the text. */
function readLine(line: string, agent: string, message: Message): Result<TurnMessage, string> | null {
  const text = line.trim();
  const record = text.startsWith('{') ? readRecord(text) : null;
  const [to, word] = record === null ? [null, null] : [textAt(record, 'to'), textAt(record, 'type')];
  if (record === null || to === null || word === null) {
    return null;
  }
  const type = knownType(word);
  if (type === null || NOT_FOR_MODELS.has(type)) {
    return fail(`A message of the type "${word.slice(0, 60)}" was not sent: a model may not send it.`);
  }
  const from = record['from'];
  if (from !== undefined && from !== agent) {
    return fail(`A ${type} was not sent: it names another sender than ${agent}.`);
  }
  const payload = record['payload'] ?? {};
  return isRecord(payload)
    ? ok(completed({ to, type, payload }, textAt(record, 'inReplyTo'), message))
    : fail(`A ${type} was not sent: its payload is no object.`);
}

/** With what a model leaves out, because the message that it answers says it. */
function completed(sent: TurnMessage, inReplyTo: string | null, message: Message): TurnMessage {
  const { type, payload } = sent;
  const task = taskOf({ payload }) === null ? taskOf(message) : null;
  const answered = type !== 'Query' && ENDS.has(type) && expectsAnswer(message) ? message.id : null;
  const reference = inReplyTo ?? answered;
  return {
    ...sent,
    payload: ABOUT_A_TASK.has(type) && task !== null ? { ...payload, taskId: task } : payload,
    ...(reference === null ? {} : { inReplyTo: reference }),
  };
}

function answerTo(message: Message, text: string): readonly TurnMessage[] {
  const { id, from, type } = message;
  const taskId = taskOf(message) ?? '';
  switch (type) {
    case 'WorkAssign':
      return [reply(coordinatorName, 'WorkComplete', { taskId, result: 'success', notes: text }, id)];
    case 'Query':
      return [reply(from, 'Response', { answer: text }, id)];
    case 'ValidationRequest':
      return [reply(from, 'ValidationResult', { taskId, passed: /^\W*passed\b/i.test(text), notes: text }, id)];
    default:
      return [];
  }
}

/** Whoever asked waits for an answer, and somebody must hear what is to be done. */
function failureMessages(message: Message, reason: string): readonly TurnMessage[] {
  const { id, from, type } = message;
  const blocked = reply(coordinatorName, 'WorkBlocked', { taskId: taskOf(message) ?? '', reason }, id);
  return type === 'Query' ? [blocked, reply(from, 'Response', { answer: `No answer: ${reason}` }, id)] : [blocked];
}

function reply(to: string, type: string, payload: JsonRecord, inReplyTo: string): TurnMessage {
  return { to, type, payload, inReplyTo };
}

function clipped(text: string): string {
  const letters = [...text];
  return letters.length > MAX_TEXT ? `${letters.slice(0, MAX_TEXT - 1).join('')}…` : text;
}
