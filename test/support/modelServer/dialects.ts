import type { ToolCall } from './fittingCall';

/** A request in one of the three wire formats, read, and the way to answer it. */
export interface Dialect {
  readonly turn: number;
  readonly offered: readonly string[];
  begin(): void;
  say(text: string): void;
  call(call: ToolCall): void;
  fail(error: { readonly type: string; readonly message: string }): void;
  end(): void;
}

type Json = Readonly<Record<string, unknown>>;
/** Writes one event of a stream; null is the name of an event without one. */
export type SendEvent = (event: string | null, data: Json | string) => void;

const tokens = { input: 1200, cached: 1000, output: 34 };
let lastId = 0;

function nextId(prefix: string): string {
  lastId += 1;
  return `${prefix}_scripted${lastId}`;
}

function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter((item): item is Json => typeof item === 'object' && item !== null) : [];
}

function names(tools: unknown, pick: (tool: Json) => unknown): readonly string[] {
  return objects(tools)
    .map(pick)
    .filter((name) => typeof name === 'string');
}

/** The last part of a request's path, and who speaks it. */
export const dialects: Readonly<Record<string, (body: Json, send: SendEvent) => Dialect>> = {
  messages: anthropicMessages,
  responses: openAiResponses,
  completions: openAiCompletions,
};

function anthropicMessages(body: Json, send: SendEvent): Dialect {
  let index = -1;
  let isTextOpen = false;
  let stopReason = 'end_turn';
  const closeText = (): void => {
    if (isTextOpen) {
      send('content_block_stop', { index });
      isTextOpen = false;
    }
  };
  const openBlock = (block: Json): void => {
    index += 1;
    send('content_block_start', { index, content_block: block });
  };
  return {
    turn: objects(body['messages'])
      .flatMap((message) => objects(message['content']))
      .filter((part) => part['type'] === 'tool_result').length,
    offered: names(body['tools'], (tool) => tool['name']),
    begin() {
      const usage = {
        input_tokens: tokens.input - tokens.cached,
        cache_read_input_tokens: tokens.cached,
        cache_creation_input_tokens: 0,
        output_tokens: 1,
      };
      const message = {
        id: nextId('msg'),
        type: 'message',
        role: 'assistant',
        model: body['model'],
        content: [],
        usage,
      };
      send('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } });
    },
    say(text) {
      if (!isTextOpen) {
        openBlock({ type: 'text', text: '' });
        isTextOpen = true;
      }
      send('content_block_delta', { index, delta: { type: 'text_delta', text } });
    },
    call({ name, input }) {
      closeText();
      stopReason = 'tool_use';
      openBlock({ type: 'tool_use', id: nextId('toolu'), name, input: {} });
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
      send('content_block_delta', { index, delta });
      send('content_block_stop', { index });
    },
    fail(error) {
      send('error', { error });
    },
    end() {
      closeText();
      const delta = { stop_reason: stopReason, stop_sequence: null };
      send('message_delta', { delta, usage: { output_tokens: tokens.output } });
      send('message_stop', {});
    },
  };
}

function openAiResponses(body: Json, send: SendEvent): Dialect {
  const output: Json[] = [];
  const response = { id: nextId('resp'), object: 'response', status: 'in_progress', model: body['model'], output };
  let open: { readonly id: string; text: string } | null = null;
  const add = (item: Json): void => {
    output.push(item);
    send('response.output_item.done', { output_index: output.length - 1, item });
  };
  const closeText = (): void => {
    if (open !== null) {
      const content = [{ type: 'output_text', text: open.text, annotations: [] }];
      add({ id: open.id, type: 'message', role: 'assistant', content });
      open = null;
    }
  };
  return {
    turn: objects(body['input']).filter((item) => /_call_output$/.test(String(item['type']))).length,
    offered: names(body['tools'], (tool) => tool['name'] ?? tool['type']),
    begin() {
      send('response.created', { response });
    },
    say(text) {
      const place = { output_index: output.length };
      if (open === null) {
        open = { id: nextId('msg'), text: '' };
        const item = { id: open.id, type: 'message', role: 'assistant', content: [] };
        send('response.output_item.added', { ...place, item });
      }
      open.text += text;
      send('response.output_text.delta', { ...place, item_id: open.id, content_index: 0, delta: text });
    },
    call({ name, input }) {
      closeText();
      const callId = nextId('call');
      add({ id: nextId('fc'), type: 'function_call', call_id: callId, name, arguments: JSON.stringify(input) });
    },
    fail({ message }) {
      send('response.failed', { response: { ...response, error: { code: 'server_is_overloaded', message } } });
    },
    end() {
      closeText();
      const usage = {
        input_tokens: tokens.input,
        input_tokens_details: { cached_tokens: tokens.cached },
        output_tokens: tokens.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: tokens.input + tokens.output,
      };
      send('response.completed', { response: { ...response, status: 'completed', usage } });
    },
  };
}

function openAiCompletions(body: Json, send: SendEvent): Dialect {
  const base = { id: nextId('chatcmpl'), object: 'chat.completion.chunk', created: 1, model: body['model'] };
  const chunk = (delta: Json, reason: string | null = null): void => {
    send(null, { ...base, choices: [{ index: 0, delta, finish_reason: reason }] });
  };
  let calls = 0;
  return {
    turn: objects(body['messages']).filter((message) => message['role'] === 'tool').length,
    offered: names(body['tools'], (tool) => objects([tool['function']])[0]?.['name']),
    begin() {
      chunk({ role: 'assistant', content: '' });
    },
    say(text) {
      chunk({ content: text });
    },
    call({ name, input }) {
      const call = { name, arguments: JSON.stringify(input) };
      chunk({ tool_calls: [{ index: calls, id: nextId('call'), type: 'function', function: call }] });
      calls += 1;
    },
    fail(error) {
      send(null, { error: { ...error, code: error.type } });
    },
    end() {
      chunk({}, calls > 0 ? 'tool_calls' : 'stop');
      const usage = {
        prompt_tokens: tokens.input,
        completion_tokens: tokens.output,
        total_tokens: tokens.input + tokens.output,
        prompt_tokens_details: { cached_tokens: tokens.cached },
      };
      send(null, { ...base, choices: [], usage });
      send(null, '[DONE]');
    },
  };
}
