import { type JsonRecord, numberAt, readRecord, recordAt, textAt } from '../features/jsonFields';
import { type EngineEvent, unknownLine } from './engineEvent';
import { httpFault } from './httpFault';

const WRITING = new Set(['create', 'edit', 'str_replace_editor']);

/** Reads a line of `copilot --output-format json`, by its documentation: it was not run here. */
export function readCopilotLine(line: string): readonly EngineEvent[] {
  const record = readRecord(line);
  const type = record === null ? null : textAt(record, 'type');
  if (record === null || type === null) {
    return unknownLine;
  }
  // `result` alone is not wrapped in `data`.
  return type === 'result' ? resultOf(record) : (readers[type]?.(recordAt(record, 'data')) ?? others(type));
}

const readers: Readonly<Record<string, (data: JsonRecord) => readonly EngineEvent[]>> = {
  'assistant.turn_start': () => [{ kind: 'turn' }],
  'assistant.message': (data) => {
    const text = textAt(data, 'content');
    return text === null ? [] : [{ kind: 'text', text }];
  },
  'tool.execution_start': (data) => {
    const tool = textAt(data, 'toolName') ?? '';
    const file = textAt(recordAt(data, 'arguments'), 'path');
    return [{ kind: 'toolStarted', id: textAt(data, 'toolCallId'), tool, file, writes: WRITING.has(tool) }];
  },
  'tool.execution_complete': (data) => {
    const failed = data['success'] === false;
    return [{ kind: 'toolFinished', id: textAt(data, 'toolCallId'), tool: null, file: null, writes: false, failed }];
  },
  'session.error': (data) => {
    const fault = textAt(data, 'errorType') === 'authentication' ? 'auth' : httpFault(numberAt(data, 'statusCode'));
    return [{ kind: 'failed', fault: fault ?? 'other', text: textAt(data, 'message') ?? '', resetsAt: null }];
  },
  'session.warning': (data) => [{ kind: 'warning', text: textAt(data, 'message') ?? '' }],
};

/** Its news has some forty kinds, in families; a family that it does not have is none of its lines. */
function others(type: string): readonly EngineEvent[] {
  return /^(?:assistant|session|tool|user|system|hook|permission|subagent|skill|abort)\b/.test(type) ? [] : unknownLine;
}

function resultOf(line: JsonRecord): readonly EngineEvent[] {
  const sessionId = textAt(line, 'sessionId');
  const session = sessionId === null ? [] : [{ kind: 'session', sessionId, model: null } as const];
  return numberAt(line, 'exitCode') === 0 ? [...session, { kind: 'done' }] : session;
}
