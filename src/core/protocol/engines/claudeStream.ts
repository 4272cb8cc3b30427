import { type JsonRecord, numberAt, readRecord, recordAt, recordsAt, textAt } from '../features/jsonFields';
import { type EngineEvent, type EngineFault, type EngineUsage, unknownLine } from './engineEvent';
import { httpFault } from './httpFault';
import { isRefusedWrite } from './refusedWrite';

/** The model's name in a message that the program itself wrote, about a failure. */
const SYNTHETIC = '<synthetic>';

/** Tools whose `file_path` or `notebook_path` is written. */
const WRITING = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

const faults: Readonly<Record<string, EngineFault>> = {
  rate_limit: 'rate limited',
  authentication_failed: 'auth',
  billing_error: 'auth',
  model_not_found: 'config',
  invalid_request: 'config',
  overloaded: 'overloaded',
  // Where the service answered, the status says more; without one the connection broke.
  server_error: 'cut',
};

/** Lines that say nothing that is shown. */
const SILENT = new Set(['stream_event', 'control_response', 'keep_alive', 'tool_progress', 'auth_status']);

/** Reads a line of `claude -p --output-format stream-json` (seen with 2.1.197). */
export function readClaudeLine(line: string): readonly EngineEvent[] {
  const record = readRecord(line);
  const type = record === null ? null : textAt(record, 'type');
  if (record === null || type === null) {
    return unknownLine;
  }
  return readers[type]?.(record) ?? (SILENT.has(type) ? [] : unknownLine);
}

const readers: Readonly<Record<string, (line: JsonRecord) => readonly EngineEvent[]>> = {
  system: systemLine,
  assistant: assistantLine,
  user: userLine,
  result: resultLine,
  rate_limit_event: allowanceLine,
  control_request: askedLine,
  control_cancel_request: (line) => {
    const requestId = textAt(line, 'request_id');
    return requestId === null ? unknownLine : [{ kind: 'withdrawn', requestId }];
  },
};

function systemLine(line: JsonRecord): readonly EngineEvent[] {
  switch (textAt(line, 'subtype')) {
    case 'init': {
      const sessionId = textAt(line, 'session_id');
      const session = { kind: 'session', sessionId: sessionId ?? '', model: textAt(line, 'model') } as const;
      return sessionId === null ? unknownLine : [session, { kind: 'turn' }];
    }
    case 'api_retry':
      return [retryOf(line)];
    case 'model_fallback':
      return [{ kind: 'warning', text: `the model ${textAt(line, 'original_model') ?? ''} was replaced by another` }];
    default:
      return [];
  }
}

function retryOf(line: JsonRecord): EngineEvent {
  const error = textAt(line, 'error') ?? 'unknown';
  return {
    kind: 'retrying',
    attempt: numberAt(line, 'attempt'),
    of: numberAt(line, 'max_retries'),
    delayMs: numberAt(line, 'retry_delay_ms'),
    fault: faultOf(error, numberAt(line, 'error_status')),
    text: error,
  };
}

function assistantLine(line: JsonRecord): readonly EngineEvent[] {
  const message = recordAt(line, 'message');
  const parts = recordsAt(message, 'content');
  const error = textAt(line, 'error');
  if (error !== null || textAt(message, 'model') === SYNTHETIC) {
    const text = parts.map((part) => textAt(part, 'text') ?? '').join(' ');
    return [{ kind: 'failed', fault: faultOf(error ?? 'unknown', null), text, resetsAt: null }];
  }
  return [...parts.flatMap(partEvents), ...usageOf(message)];
}

function faultOf(error: string, status: number | null): EngineFault {
  return httpFault(status) ?? faults[error] ?? 'other';
}

function partEvents(part: JsonRecord): readonly EngineEvent[] {
  switch (textAt(part, 'type')) {
    case 'text':
      return [{ kind: 'text', text: textAt(part, 'text') ?? '' }];
    case 'tool_use': {
      const tool = textAt(part, 'name') ?? '';
      const input = recordAt(part, 'input');
      const file = textAt(input, 'file_path') ?? textAt(input, 'notebook_path');
      return [{ kind: 'toolStarted', id: textAt(part, 'id'), tool, file, writes: WRITING.has(tool) }];
    }
    case 'tool_result': {
      const id = textAt(part, 'tool_use_id');
      const failed = part['is_error'] === true;
      const isRefused = failed && isRefusedWrite(part['content']);
      return [
        ...(isRefused ? [{ kind: 'refused', id, tool: null, file: null } as const] : []),
        { kind: 'toolFinished', id, tool: null, file: null, writes: false, failed },
      ];
    }
    default:
      return [];
  }
}

/** Each part of one message repeats the figures of the whole, so its id is the key. */
function usageOf(message: JsonRecord): readonly EngineEvent[] {
  const usage = recordAt(message, 'usage');
  const key = textAt(message, 'id');
  return key === null ? [] : [{ kind: 'usage', covers: 'step', key, usage: tokensOf(usage) }];
}

function tokensOf(usage: JsonRecord): EngineUsage {
  const cached = numberAt(usage, 'cache_read_input_tokens') ?? 0;
  const made = numberAt(usage, 'cache_creation_input_tokens') ?? 0;
  return {
    inputTokens: (numberAt(usage, 'input_tokens') ?? 0) + cached + made,
    cachedTokens: cached,
    outputTokens: numberAt(usage, 'output_tokens') ?? 0,
    costUsd: null,
  };
}

function userLine(line: JsonRecord): readonly EngineEvent[] {
  return recordsAt(recordAt(line, 'message'), 'content').flatMap(partEvents);
}

function resultLine(line: JsonRecord): readonly EngineEvent[] {
  const denied = recordsAt(line, 'permission_denials').map(
    (denial) => ({ kind: 'denied', tool: textAt(denial, 'tool_name') ?? '' }) as const,
  );
  return [...denied, ...totalOf(line), endOf(line)];
}

function endOf(line: JsonRecord): EngineEvent {
  if (textAt(line, 'terminal_reason')?.startsWith('aborted_') === true) {
    return { kind: 'interrupted' };
  }
  // `subtype` says success after a failure of the service too: only is_error tells.
  if (line['is_error'] === false) {
    return { kind: 'done' };
  }
  const subtype = textAt(line, 'subtype') ?? '';
  const isOwnLimit = subtype === 'error_max_turns' || subtype === 'error_max_budget_usd';
  const fault = isOwnLimit ? 'own limit' : (httpFault(numberAt(line, 'api_error_status')) ?? 'other');
  const [firstError] = Array.isArray(line['errors']) ? (line['errors'] as unknown[]) : [];
  const text = textAt(line, 'result') ?? (typeof firstError === 'string' ? firstError : subtype);
  return { kind: 'failed', fault, text, resetsAt: null };
}

/** All that the process used so far, by model; `usage` beside it is the last turn's alone. */
function totalOf(line: JsonRecord): readonly EngineEvent[] {
  const models = Object.keys(recordAt(line, 'modelUsage')).map((name) => recordAt(recordAt(line, 'modelUsage'), name));
  const sum = (key: string): number => models.reduce((total, model) => total + (numberAt(model, key) ?? 0), 0);
  if (models.length === 0) {
    return [];
  }
  const cachedTokens = sum('cacheReadInputTokens');
  const usage = {
    inputTokens: sum('inputTokens') + cachedTokens + sum('cacheCreationInputTokens'),
    cachedTokens,
    outputTokens: sum('outputTokens'),
    costUsd: numberAt(line, 'total_cost_usd'),
  };
  return [{ kind: 'usage', covers: 'run', key: null, usage }];
}

/** Only with a login; never with an API key. */
function allowanceLine(line: JsonRecord): readonly EngineEvent[] {
  const limit = recordAt(line, 'rate_limit_info');
  const seconds = numberAt(limit, 'resetsAt');
  const isUsedUp = textAt(limit, 'status') === 'rejected';
  return [{ kind: 'allowance', isUsedUp, resetsAt: seconds === null ? null : seconds * 1000 }];
}

function askedLine(line: JsonRecord): readonly EngineEvent[] {
  const request = recordAt(line, 'request');
  const requestId = textAt(line, 'request_id');
  const tool = textAt(request, 'tool_name');
  if (requestId === null || tool === null || textAt(request, 'subtype') !== 'can_use_tool') {
    return unknownLine;
  }
  return [
    { kind: 'asked', requestId, isQuestion: tool === 'AskUserQuestion', tool, input: recordAt(request, 'input') },
  ];
}
