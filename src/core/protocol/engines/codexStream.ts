import { type JsonRecord, numberAt, readRecord, recordAt, recordsAt, textAt } from '../features/jsonFields';
import { type EngineEvent, type EngineTool, unknownLine } from './engineEvent';
import { isRefusedWrite } from './refusedWrite';

/** Reads a line of `codex exec --json` (seen with 0.171.0). Why a turn failed stands only in its rollout file. */
export function readCodexLine(line: string): readonly EngineEvent[] {
  const record = readRecord(line);
  const type = record === null ? null : textAt(record, 'type');
  return record === null || type === null ? unknownLine : (readers[type]?.(record) ?? unknownLine);
}

const readers: Readonly<Record<string, (line: JsonRecord) => readonly EngineEvent[]>> = {
  'thread.started': (line) => {
    const sessionId = textAt(line, 'thread_id');
    return sessionId === null ? unknownLine : [{ kind: 'session', sessionId, model: null }];
  },
  'turn.started': () => [{ kind: 'turn' }],
  'turn.completed': (line) => [usageOf(recordAt(line, 'usage')), { kind: 'done' }],
  'turn.failed': (line) => {
    const text = textAt(recordAt(line, 'error'), 'message') ?? '';
    return [{ kind: 'failed', fault: 'other', text, resetsAt: null }];
  },
  'item.started': (line) => startOf(recordAt(line, 'item')),
  'item.updated': () => [],
  'item.completed': (line) => endOf(recordAt(line, 'item')),
  // Said before each retry and once more before turn.failed, which alone is the end.
  error: (line) => {
    const text = textAt(line, 'message') ?? '';
    return [{ kind: 'retrying', attempt: null, of: null, delayMs: null, fault: 'other', text }];
  },
};

function startOf(item: JsonRecord): readonly EngineEvent[] {
  const tool = toolOf(item);
  return tool === null ? [] : [{ kind: 'toolStarted', ...tool }];
}

function endOf(item: JsonRecord): readonly EngineEvent[] {
  switch (textAt(item, 'type')) {
    case 'agent_message':
      return [{ kind: 'text', text: textAt(item, 'text') ?? '' }];
    case 'error':
      return [{ kind: 'warning', text: textAt(item, 'message') ?? '' }];
    case 'file_change':
      return changesOf(item);
    default: {
      const tool = toolOf(item);
      const failed = textAt(item, 'status') === 'failed';
      if (tool === null) {
        return [];
      }
      const isRefused = failed && isRefusedWrite(item['aggregated_output']);
      return [
        ...(isRefused ? [{ kind: 'refused', id: tool.id, tool: tool.tool, file: null } as const] : []),
        { kind: 'toolFinished', ...tool, failed },
      ];
    }
  }
}

/** Null for what is no use of a tool: reasoning, the plan. */
function toolOf(item: JsonRecord): EngineTool | null {
  const id = textAt(item, 'id');
  const type = textAt(item, 'type');
  switch (type) {
    case 'command_execution':
    case 'web_search':
    case 'file_change':
      return { id, tool: type, file: null, writes: false };
    case 'mcp_tool_call':
      return { id, tool: textAt(item, 'tool') ?? type, file: null, writes: false };
    default:
      return null;
  }
}

function changesOf(item: JsonRecord): readonly EngineEvent[] {
  const id = textAt(item, 'id');
  const failed = textAt(item, 'status') === 'failed';
  return recordsAt(item, 'changes').map((change) => {
    const file = textAt(change, 'path');
    return { kind: 'toolFinished', id, tool: 'file_change', file, writes: true, failed };
  });
}

function usageOf(usage: JsonRecord): EngineEvent {
  return {
    kind: 'usage',
    covers: 'session',
    key: null,
    usage: {
      inputTokens: numberAt(usage, 'input_tokens') ?? 0,
      cachedTokens: numberAt(usage, 'cached_input_tokens') ?? 0,
      outputTokens: numberAt(usage, 'output_tokens') ?? 0,
      costUsd: null,
    },
  };
}
