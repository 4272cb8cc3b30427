import { type JsonRecord, numberAt, readRecord, recordAt, textAt } from '../features/jsonFields';
import { type EngineEvent, type EngineFault, unknownLine } from './engineEvent';

const WRITING = new Set(['write_file', 'replace']);

const faults: Readonly<Record<string, EngineFault>> = {
  FatalAuthenticationError: 'auth',
  FatalInputError: 'config',
  FatalConfigError: 'config',
  FatalTurnLimitedError: 'own limit',
};

/** Reads a line of `gemini --output-format stream-json`, by its documentation: it was not run here. */
export function readGeminiLine(line: string): readonly EngineEvent[] {
  const record = readRecord(line);
  const type = record === null ? null : textAt(record, 'type');
  return record === null || type === null ? unknownLine : (readers[type]?.(record) ?? unknownLine);
}

const readers: Readonly<Record<string, (line: JsonRecord) => readonly EngineEvent[]>> = {
  init: (line) => {
    const sessionId = textAt(line, 'session_id');
    const model = textAt(line, 'model');
    return sessionId === null ? unknownLine : [{ kind: 'session', sessionId, model }, { kind: 'turn' }];
  },
  message: (line) =>
    textAt(line, 'role') === 'assistant' ? [{ kind: 'text', text: textAt(line, 'content') ?? '' }] : [],
  tool_use: (line) => {
    const tool = textAt(line, 'tool_name') ?? '';
    const file = textAt(recordAt(line, 'parameters'), 'file_path');
    return [{ kind: 'toolStarted', id: textAt(line, 'tool_id'), tool, file, writes: WRITING.has(tool) }];
  },
  tool_result: (line) => {
    const failed = textAt(line, 'status') === 'error';
    return [{ kind: 'toolFinished', id: textAt(line, 'tool_id'), tool: null, file: null, writes: false, failed }];
  },
  error: (line) => [{ kind: 'warning', text: textAt(line, 'message') ?? '' }],
  result: (line) => [usageOf(recordAt(line, 'stats')), endOf(line)],
};

function usageOf(stats: JsonRecord): EngineEvent {
  const usage = {
    inputTokens: numberAt(stats, 'input_tokens') ?? 0,
    cachedTokens: numberAt(stats, 'cached') ?? 0,
    outputTokens: numberAt(stats, 'output_tokens') ?? 0,
    costUsd: null,
  };
  return { kind: 'usage', covers: 'run', key: null, usage };
}

function endOf(line: JsonRecord): EngineEvent {
  if (textAt(line, 'status') === 'success') {
    return { kind: 'done' };
  }
  const error = recordAt(line, 'error');
  const type = textAt(error, 'type') ?? '';
  const text = textAt(error, 'message') ?? type;
  return { kind: 'failed', fault: faults[type] ?? 'other', text, resetsAt: null };
}
