import { type JsonRecord, numberAt, readRecord, recordAt, textAt, wholeAt } from '../features/jsonFields';
import { type EngineEvent, type EngineFault, unknownLine } from './engineEvent';
import { httpFault } from './httpFault';
import { isRefusedWrite } from './refusedWrite';

const WRITING = new Set(['write', 'edit', 'multiedit', 'patch', 'apply_patch']);

/** Reads a line of `opencode run --format json` (seen with 1.18.33). It names no model. */
export function readOpencodeLine(line: string): readonly EngineEvent[] {
  const record = readRecord(line);
  const type = record === null ? null : textAt(record, 'type');
  return record === null || type === null ? unknownLine : (readers[type]?.(record) ?? unknownLine);
}

const readers: Readonly<Record<string, (line: JsonRecord) => readonly EngineEvent[]>> = {
  step_start: (line) => {
    const session = sessionOf(line);
    return session.length === 0 ? unknownLine : [...session, { kind: 'turn' }];
  },
  text: (line) => [{ kind: 'text', text: textAt(recordAt(line, 'part'), 'text') ?? '' }],
  reasoning: () => [],
  tool_use: (line) => toolOf(recordAt(line, 'part')),
  step_finish: stepEnd,
  // Refused at its first step, it names its session nowhere else.
  error: (line) => [...sessionOf(line), failureOf(line)],
  limited: (line) => [...sessionOf(line), limitOf(line)],
};

function sessionOf(line: JsonRecord): readonly EngineEvent[] {
  const sessionId = textAt(line, 'sessionID');
  return sessionId === null ? [] : [{ kind: 'session', sessionId, model: null }];
}

/** One line per use of a tool, when it has ended. */
function toolOf(part: JsonRecord): readonly EngineEvent[] {
  const state = recordAt(part, 'state');
  const input = recordAt(state, 'input');
  const tool = textAt(part, 'tool') ?? '';
  const [id, file] = [textAt(part, 'callID'), textAt(input, 'filePath')];
  const failed = textAt(state, 'status') === 'error';
  // Its command failed, and the tool did not.
  const exit = wholeAt(recordAt(state, 'metadata'), 'exit') ?? 0;
  const isRefused = (failed && isRefusedWrite(state['error'])) || (exit !== 0 && isRefusedWrite(state['output']));
  return [
    ...(isRefused ? [{ kind: 'refused', id, tool, file } as const] : []),
    { kind: 'toolFinished', id, tool, file, writes: WRITING.has(tool), failed },
  ];
}

function stepEnd(line: JsonRecord): readonly EngineEvent[] {
  const part = recordAt(line, 'part');
  const tokens = recordAt(part, 'tokens');
  const cachedTokens = numberAt(recordAt(tokens, 'cache'), 'read') ?? 0;
  const usage = {
    inputTokens: (numberAt(tokens, 'input') ?? 0) + cachedTokens,
    cachedTokens,
    outputTokens: (numberAt(tokens, 'output') ?? 0) + (numberAt(tokens, 'reasoning') ?? 0),
    costUsd: numberAt(part, 'cost'),
  };
  const used = { kind: 'usage', covers: 'step', key: textAt(part, 'id'), usage } as const;
  return textAt(part, 'reason') === 'stop' ? [used, { kind: 'done' }] : [used];
}

function failureOf(line: JsonRecord): EngineEvent {
  const error = recordAt(line, 'error');
  const data = recordAt(error, 'data');
  const text = textAt(data, 'message') ?? textAt(error, 'name') ?? '';
  const resetsAt = resetOf(
    recordAt(data, 'responseHeaders'),
    textAt(data, 'responseBody'),
    numberAt(line, 'timestamp'),
  );
  return { kind: 'failed', fault: faultOf(error, data), text, resetsAt };
}

/** A line of our own plugin (`src/opencodePlugin`), which ended the program instead of a long wait. */
function limitOf(line: JsonRecord): EngineEvent {
  const [text, resetsAt] = [textAt(line, 'message') ?? '', numberAt(line, 'resetsAt')];
  return { kind: 'failed', fault: 'rate limited', text, resetsAt };
}

function faultOf(error: JsonRecord, data: JsonRecord): EngineFault {
  const byStatus = httpFault(wholeAt(data, 'statusCode'));
  if (byStatus !== null) {
    return byStatus;
  }
  switch (textAt(error, 'name')) {
    case 'ProviderAuthError':
      return 'auth';
    case 'ContextOverflowError':
    case 'ProviderModelNotFoundError':
      return 'config';
    case 'MessageAbortedError':
      return 'cut';
    default:
      // Retryable without a status: the service never answered to the end.
      return data['isRetryable'] === true ? 'cut' : 'other';
  }
}

/** When a rate limit ends, by the service's own answer, which the program passes on. */
function resetOf(headers: JsonRecord, body: string | null, at: number | null): number | null {
  const error = recordAt(readRecord(body ?? '') ?? {}, 'error');
  const absolute = wholeAt(error, 'resets_at') ?? wholeAt(headers, 'anthropic-ratelimit-unified-reset');
  const wait = wholeAt(headers, 'retry-after');
  if (absolute !== null) {
    return absolute * 1000;
  }
  return wait === null || at === null ? null : at + wait * 1000;
}
