import { assertNever } from '../../base/assertNever';
import type { EngineEvent, EngineFault, EngineUsage } from './engineEvent';
import { shortText } from './shortText';

/** A tool that runs. */
export interface OpenTool {
  readonly id: string | null;
  readonly tool: string;
  readonly file: string | null;
  readonly writes: boolean;
}

/** What a person is asked for; the program waits for it. */
export interface OpenRequest {
  readonly requestId: string;
  readonly isQuestion: boolean;
  readonly tool: string;
}

export interface EngineFailure {
  readonly fault: EngineFault;
  /** On one line and safe to show. */
  readonly text: string;
  /** When a rate limit ends, milliseconds since 1970, where that is known. */
  readonly resetsAt: number | null;
}

/**
 * What is known of one run of an engine, from its lines so far: plain JSON of bounded size, so that another keeper can go
 * on with it. Texts are on one line and safe to show.
 */
export interface EngineFacts {
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly tools: readonly OpenTool[];
  /** Files that were written, the latest last; the oldest are left out beyond 50. */
  readonly files: readonly string[];
  readonly fileCount: number;
  readonly toolCount: number;
  readonly usage: EngineUsage;
  /** `session`: the figures hold for earlier runs of the same session too. */
  readonly usageCovers: 'run' | 'session';
  readonly lastUsageKey: string | null;
  /** Set while the program tries again by itself. */
  readonly retry: {
    readonly fault: EngineFault;
    readonly text: string;
    readonly attempt: number | null;
    readonly of: number | null;
    readonly delayMs: number | null;
  } | null;
  readonly asked: readonly OpenRequest[];
  readonly denied: number;
  /** Writes that a sandbox refused: how many, and the last one's file, or else its tool. Null: none was seen. */
  readonly refused: { readonly count: number; readonly last: string } | null;
  /** When the person's allowance is full again, where the service says that it is used up. */
  readonly allowanceResetsAt: number | null;
  readonly failure: EngineFailure | null;
  readonly end: 'done' | 'interrupted' | null;
  /** The last thing that the model said. */
  readonly said: string | null;
  readonly warning: string | null;
  /** Lines of the engine itself. */
  readonly lines: number;
  readonly unknownLines: number;
}

const MAX_FILES = 50;
const MAX_OPEN = 16;

export const noEngineFacts: EngineFacts = {
  sessionId: null,
  model: null,
  tools: [],
  files: [],
  fileCount: 0,
  toolCount: 0,
  usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: null },
  usageCovers: 'run',
  lastUsageKey: null,
  retry: null,
  asked: [],
  denied: 0,
  refused: null,
  allowanceResetsAt: null,
  failure: null,
  end: null,
  said: null,
  warning: null,
  lines: 0,
  unknownLines: 0,
};

/** The facts after one line that said `events`. */
export function foldEngineLine(facts: EngineFacts, events: readonly EngineEvent[]): EngineFacts {
  const isUnknown = events.some((event) => event.kind === 'unknown');
  const counted = isUnknown ? { ...facts, unknownLines: facts.unknownLines + 1 } : { ...facts, lines: facts.lines + 1 };
  return events.reduce(foldEvent, counted);
}

function foldEvent(facts: EngineFacts, event: EngineEvent): EngineFacts {
  switch (event.kind) {
    case 'session':
      return {
        ...facts,
        sessionId: shortText(event.sessionId),
        model: event.model === null ? facts.model : shortText(event.model),
      };
    case 'turn':
      return { ...facts, end: null, failure: null, retry: null };
    case 'text':
      return { ...facts, said: shortText(event.text), retry: null };
    case 'toolStarted':
      return toolStarted(facts, event);
    case 'toolFinished':
      return toolFinished(facts, event);
    case 'refused':
      return { ...facts, refused: refusedAfter(facts, event) };
    case 'asked':
    case 'withdrawn':
    case 'denied':
      return foldRequest(facts, event);
    case 'usage':
      return foldUsage(facts, event);
    case 'retrying':
      return { ...facts, retry: retryOf(event) };
    case 'allowance':
      return { ...facts, allowanceResetsAt: event.isUsedUp ? event.resetsAt : null };
    case 'failed':
      return { ...facts, end: null, retry: null, tools: [], failure: worse(facts.failure, failureOf(event)) };
    case 'warning':
      return { ...facts, warning: shortText(event.text) };
    case 'done':
    case 'interrupted':
      return { ...facts, end: event.kind, failure: null, retry: null, tools: [], asked: [] };
    case 'unknown':
      return facts;
    default:
      return assertNever(event, 'engine event');
  }
}

type EventOf<K extends EngineEvent['kind']> = Extract<EngineEvent, { kind: K }>;

function toolStarted(facts: EngineFacts, { id, tool, file, writes }: EventOf<'toolStarted'>): EngineFacts {
  const open = { id, tool: shortText(tool), file: file === null ? null : shortText(file), writes };
  return { ...facts, retry: null, toolCount: facts.toolCount + 1, tools: [...facts.tools, open].slice(-MAX_OPEN) };
}

/** A file counts once its tool has ended well; an end without a start is a whole use. */
function toolFinished(facts: EngineFacts, event: EventOf<'toolFinished'>): EngineFacts {
  const started = facts.tools.find((open) => event.id !== null && open.id === event.id);
  const file = event.file ?? started?.file ?? null;
  const next = {
    ...facts,
    retry: null,
    toolCount: started === undefined ? facts.toolCount + 1 : facts.toolCount,
    tools: facts.tools.filter((open) => open !== started),
  };
  return (event.writes || started?.writes === true) && !event.failed && file !== null
    ? withFile(next, shortText(file))
    : next;
}

function refusedAfter(facts: EngineFacts, { id, tool, file }: EventOf<'refused'>): EngineFacts['refused'] {
  const started = facts.tools.find((open) => id !== null && open.id === id);
  const last = shortText(file ?? started?.file ?? tool ?? started?.tool ?? '');
  return { count: (facts.refused?.count ?? 0) + 1, last };
}

function withFile(facts: EngineFacts, file: string): EngineFacts {
  const isNew = !facts.files.includes(file);
  const files = [...facts.files.filter((known) => known !== file), file].slice(-MAX_FILES);
  return { ...facts, files, fileCount: facts.fileCount + (isNew ? 1 : 0) };
}

function foldRequest(facts: EngineFacts, event: EventOf<'asked' | 'withdrawn' | 'denied'>): EngineFacts {
  if (event.kind === 'denied') {
    return { ...facts, denied: facts.denied + 1 };
  }
  const others = facts.asked.filter((request) => request.requestId !== event.requestId);
  if (event.kind === 'withdrawn') {
    return { ...facts, asked: others };
  }
  const { requestId, isQuestion, tool } = event;
  return { ...facts, asked: [...others, { requestId, isQuestion, tool: shortText(tool) }].slice(-MAX_OPEN) };
}

function foldUsage(facts: EngineFacts, { covers, key, usage }: EventOf<'usage'>): EngineFacts {
  if (covers !== 'step') {
    return { ...facts, usage, usageCovers: covers };
  }
  return key !== null && key === facts.lastUsageKey
    ? facts
    : { ...facts, usage: sumOfUsage(facts.usage, usage), lastUsageKey: key };
}

/** Both together; money is unknown only where both say nothing. */
export function sumOfUsage(one: EngineUsage, other: EngineUsage): EngineUsage {
  const costUsd = one.costUsd === null && other.costUsd === null ? null : (one.costUsd ?? 0) + (other.costUsd ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd,
  };
}

/** What one run used. */
export type RunUsage = Pick<EngineFacts, 'sessionId' | 'usage' | 'usageCovers'>;

/** What several runs used together, in their order: of runs whose figures hold for a whole session, the last one counts. */
export function usageOfRuns(runs: readonly RunUsage[]): EngineUsage {
  return runs
    .filter((run, index) => {
      const isRepeated = runs.slice(index + 1).some((later) => later.sessionId === run.sessionId);
      return run.usageCovers === 'run' || !isRepeated;
    })
    .reduce((sum, run) => sumOfUsage(sum, run.usage), noEngineFacts.usage);
}

/**
 * The same runs in two entries at most: what can grow no more is one sum, and the last run stays by itself where its
 * figures hold for a whole session, which may go on.
 */
export function foldedRuns(runs: readonly RunUsage[]): readonly RunUsage[] {
  const last = runs.at(-1);
  if (last === undefined) {
    return [];
  }
  const { sessionId, usage, usageCovers } = last;
  const isOpen = usageCovers === 'session';
  const closed = isOpen ? runs.filter((run) => run.usageCovers === 'run' || run.sessionId !== sessionId) : runs;
  const sum: RunUsage = { sessionId: null, usage: usageOfRuns(closed), usageCovers: 'run' };
  return isOpen ? [sum, { sessionId, usage, usageCovers }] : [sum];
}

function retryOf({ fault, text, attempt, of, delayMs }: EventOf<'retrying'>): EngineFacts['retry'] {
  return { fault, text: shortText(text), attempt, of, delayMs };
}

function failureOf({ fault, text, resetsAt }: EventOf<'failed'>): EngineFailure {
  return { fault, text: shortText(text), resetsAt };
}

/** A program tells one failure twice, and not always the reason both times. */
function worse(before: EngineFailure | null, now: EngineFailure): EngineFailure {
  return before !== null && now.fault === 'other' ? before : now;
}

/** The request was answered: the program waits for it no longer. */
export function answeredRequest(facts: EngineFacts, requestId: string): EngineFacts {
  return { ...facts, asked: facts.asked.filter((request) => request.requestId !== requestId) };
}
