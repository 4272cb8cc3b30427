import { isRecord } from '../events/jsonGuards';
import type { EngineUsage } from './engineEvent';
import { type EngineFacts, noEngineFacts, type RunUsage, usageOfRuns } from './engineFacts';
import { type EngineOrder, isEngineStreamName } from './engineOrder';

/** What a keeper is told of a program that asks a model. */
export interface KeptEngineOrder extends EngineOrder {
  /** How long a person has to answer a request before it is denied, milliseconds. */
  readonly answerMs: number;
  /** A program that has given no sign of itself for so long after its start hangs and is ended, milliseconds; null: never. */
  readonly startMs: number | null;
}

/** What the program waits for a person to answer. Texts are on one line and safe to show; times are ISO 8601 UTC. */
export interface AskRecord {
  readonly requestId: string;
  readonly isQuestion: boolean;
  readonly tool: string;
  /** What it wants to do, or the question. */
  readonly text: string;
  /** What may be answered to a question; empty where any text may. */
  readonly choices: readonly string[];
  readonly since: string;
  /** When it is denied unless somebody answers. */
  readonly until: string;
}

/** An answer of a person. To a permission `text` tells the model why it is denied; to a question it is the answer. */
export interface RequestAnswer {
  readonly requestId: string;
  readonly allow: boolean;
  readonly text: string | null;
  /** The surface that it came from. */
  readonly by: string;
}

/** An answer that was given. */
export interface AnswerRecord extends RequestAnswer {
  readonly tool: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** Who answers where nobody did in time. */
export const BY_TIME_OUT = 'time-out';

/** What keeper.json tells of a program that asks a model. */
export interface EngineRecord {
  readonly order: KeptEngineOrder;
  readonly facts: EngineFacts;
  /** The oldest first. */
  readonly asks: readonly AskRecord[];
  /** The latest answers, the oldest first. */
  readonly answers: readonly AnswerRecord[];
  /** What earlier starts of this worker used, the oldest first. */
  readonly earlier: readonly RunUsage[];
  /** Where the program's leavings would be and nothing was before it started, absolute. */
  readonly absent: readonly string[];
}

/** So many answers stay in the record. */
export const KEPT_ANSWERS = 50;

/** What all starts of this worker used together. */
export function engineUsage({ earlier, facts }: Pick<EngineRecord, 'earlier' | 'facts'>): EngineUsage {
  return usageOfRuns([...earlier, facts]);
}

/** The record of a worker that goes on with its session in a new process: nothing of the last one is open any more. */
export function goingOn({ order, facts, answers, earlier, absent }: EngineRecord): EngineRecord {
  const { sessionId, usage, usageCovers, files, fileCount, toolCount, model, refused } = facts;
  return {
    order,
    facts: { ...noEngineFacts, sessionId, model, files, fileCount, toolCount, refused },
    asks: [],
    answers,
    earlier: [...earlier, { sessionId, usage, usageCovers }],
    absent,
  };
}

/** Whether a value from a file has the shape of an engine record. */
export function isEngineRecord(value: unknown): value is EngineRecord {
  return (
    isRecord(value) &&
    isKeptEngineOrder(value['order']) &&
    isFacts(value['facts']) &&
    isListOf(value['asks'], isAsk) &&
    isListOf(value['answers'], isAnswer) &&
    isListOf(value['earlier'], isRunUsage) &&
    isListOf(value['absent'], isText)
  );
}

/** Whether a value has the shape of an order. */
export function isKeptEngineOrder(value: unknown): value is KeptEngineOrder {
  return (
    isRecord(value) &&
    typeof value['stream'] === 'string' &&
    isEngineStreamName(value['stream']) &&
    isInterrupt(value['interrupt']) &&
    typeof value['control'] === 'boolean' &&
    typeof value['answerMs'] === 'number' &&
    (value['startMs'] === null || typeof value['startMs'] === 'number') &&
    (value['rollouts'] === null || typeof value['rollouts'] === 'string') &&
    isListOf(value['leavings'], isText)
  );
}

function isInterrupt(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['signal'] === 'SIGINT' || value['signal'] === 'SIGTERM') &&
    typeof value['group'] === 'boolean'
  );
}

/** Every fact is of the kind that it has in the beginning; those that begin with null are looked at one by one. */
function isFacts(value: unknown): boolean {
  if (!isRecord(value)) {
    return false;
  }
  const alike = Object.entries(noEngineFacts).every(([key, empty]) => empty === null || isAlike(value[key], empty));
  const texts = ['sessionId', 'model', 'said', 'warning', 'end'].every((key) => isTextOrNull(value[key]));
  return alike && texts && areParts(value) && isEngineUsage(value['usage']) && areLists(value);
}

/** A record of a version before says nothing of what was refused. */
function areParts({ failure, retry, refused = null }: Record<string, unknown>): boolean {
  return [[failure, 'text'] as const, [retry, 'text'] as const, [refused, 'last'] as const].every(
    ([part, field]) => part === null || (isRecord(part) && isText(part[field])),
  );
}

function areLists({ tools, files, asked }: Record<string, unknown>): boolean {
  return (
    isListOf(files, isText) &&
    isListOf(tools, (tool) => isRecord(tool) && isText(tool['tool']) && isTextOrNull(tool['file'])) &&
    isListOf(asked, (request) => isRecord(request) && isText(request['requestId']))
  );
}

function isRunUsage(value: unknown): boolean {
  const covers = isRecord(value) ? value['usageCovers'] : null;
  return (
    isRecord(value) &&
    isTextOrNull(value['sessionId']) &&
    isEngineUsage(value['usage']) &&
    (covers === 'run' || covers === 'session')
  );
}

/** Whether a value from a file tells what was used. */
export function isEngineUsage(value: unknown): value is EngineUsage {
  const { inputTokens, cachedTokens, outputTokens, costUsd } = isRecord(value) ? value : {};
  const isNumber = (figure: unknown): boolean => typeof figure === 'number';
  return [inputTokens, cachedTokens, outputTokens].every(isNumber) && (costUsd === null || isNumber(costUsd));
}

function isAlike(value: unknown, other: unknown): boolean {
  return typeof value === typeof other && Array.isArray(value) === Array.isArray(other) && value !== null;
}

function isAsk(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['requestId', 'tool', 'text', 'since', 'until'].every((key) => isText(value[key])) &&
    typeof value['isQuestion'] === 'boolean' &&
    isListOf(value['choices'], isText)
  );
}

function isAnswer(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['requestId', 'tool', 'by', 'at'].every((key) => isText(value[key])) &&
    typeof value['allow'] === 'boolean' &&
    isTextOrNull(value['text'])
  );
}

function isListOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}
