import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCodexRollout } from './codexRollout';
import { engineExit, type EngineVerdict } from './engineExit';
import { foldEngineLine, noEngineFacts, type EngineFacts } from './engineFacts';
import { engineLogText } from './engineLogText';
import type { EngineStreamName } from './engineOrder';
import { engineStream } from './engineStreams';

/** Streams of the real programs (versions of `shared/notes/engines.md`) with a scripted model. */
const folder = join(import.meta.dirname, '../../../../test/fixtures/engines');

function recorded(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

function factsOf(engine: EngineStreamName, lines: readonly string[]): EngineFacts {
  return lines.reduce((facts, line) => foldEngineLine(facts, engineStream(engine)(line)), noEngineFacts);
}

function run(engine: EngineStreamName, scenario: string): EngineFacts {
  return factsOf(engine, recorded(`${engine}-${scenario}.jsonl`).trim().split('\n'));
}

function end(engine: EngineStreamName, scenario: string, rollout: string | null = null): EngineVerdict {
  const beside = rollout === null ? null : readCodexRollout(recorded(rollout));
  const process = { code: 1, signal: null, started: true, stopRequested: false };
  return engineExit({ ...process, terminalWord: null, outOfMemory: false, facts: run(engine, scenario), beside });
}

describe('a recorded stream', () => {
  it.each(['claude', 'codex', 'opencode'] as const)(
    'of %s tells who works, what it said and that it is done',
    (engine) => {
      const facts = run(engine, 'text');
      expect(facts).toMatchObject({ said: 'Hello from the script.', end: 'done', failure: null, unknownLines: 0 });
      expect(facts.sessionId).toMatch(/^[\w-]{20,}$/);
      expect(facts.usage).toMatchObject({ inputTokens: 1200, cachedTokens: 1000, outputTokens: 34 });
    },
  );

  it.each([
    ['claude', ['out.txt'], 0.00094],
    ['opencode', ['out.txt'], 0],
    // Its commands name no file, and it knows no prices.
    ['codex', [], null],
  ] as const)('of %s tells the files that a tool wrote, and what two steps cost', (engine, files, costUsd) => {
    const facts = run(engine, 'write');
    expect(facts).toMatchObject({ files, fileCount: files.length, toolCount: 1, tools: [], end: 'done' });
    expect(facts.usage).toEqual({ inputTokens: 2400, cachedTokens: 2000, outputTokens: 68, costUsd });
  });

  it('of claude tells which tool runs until its result comes', () => {
    const lines = recorded('claude-write.jsonl').trim().split('\n');
    const toolLine = lines.findIndex((line) => line.includes('"tool_use"'));
    const running = factsOf('claude', lines.slice(0, toolLine + 1));
    expect(running.tools).toMatchObject([{ tool: 'Write', file: 'out.txt' }]);
    expect(running.files).toEqual([]);
  });

  it('of claude tells that a tool was denied', () => {
    expect(run('claude', 'bash')).toMatchObject({ denied: 1, files: [], end: 'done' });
  });

  it('of claude tells that it tries again', () => {
    const lines = recorded('claude-529.jsonl').trim().split('\n');
    const retry = lines.findIndex((line) => line.includes('api_retry'));
    const facts = factsOf('claude', lines.slice(0, retry + 1));
    expect(facts.retry).toMatchObject({ fault: 'overloaded', attempt: 1, of: 1 });
    expect(run('claude', '529').retry).toBeNull();
  });

  it.each([
    ['claude', '401', 'auth', 'log in', 'Invalid API key'],
    ['claude', '404', 'config', 'check configuration', 'model'],
    ['claude', '429', 'rate limited', 'wait', '429'],
    ['claude', '500', 'crash', 'retry', '500'],
    ['claude', '529', 'crash', 'retry', 'Overloaded'],
    ['claude', 'cut', 'crash', 'retry', 'lost'],
    ['claude', 'midfail', 'crash', 'retry', 'malformed'],
    ['opencode', '401', 'auth', 'log in', 'invalid x-api-key'],
    ['opencode', '404', 'config', 'check configuration', 'no-such-model'],
    ['opencode', '429text', 'rate limited', 'wait', 'Too Many'],
    ['opencode', 'cut', 'crash', 'retry', 'reset'],
  ] as const)('of %s that met %s ends as %s', (engine, scenario, exitClass, remedy, word) => {
    const verdict = end(engine, scenario);
    expect(verdict).toMatchObject({ class: exitClass, remedy, resetsAt: null });
    expect(verdict.reason).toContain(word);
    // Whoever goes on with it needs its name, also where it was refused at its first step.
    expect(run(engine, scenario).sessionId).toMatch(/^[\w-]{20,}$/);
  });

  it.each([
    ['401', 'auth', null],
    ['429text', 'rate limited', null],
    ['usage', 'rate limited', 1_796_088_428_000],
    ['500', 'crash', null],
    ['cut', 'crash', null],
  ] as const)(
    'of codex that met %s ends as %s by its rollout file, and as a crash without it',
    (scenario, exitClass, resetsAt) => {
      expect(end('codex', scenario, `codex-${scenario}.rollout.jsonl`)).toMatchObject({ class: exitClass, resetsAt });
      expect(end('codex', scenario)).toMatchObject({ class: 'crash', resetsAt: null });
    },
  );

  it('of codex that went well has no failure in its rollout file', () => {
    expect(readCodexRollout(recorded('codex-write.rollout.jsonl'))).toBeNull();
  });
});

describe('the readable log of a recorded stream', () => {
  function logOf(engine: EngineStreamName, text: string): readonly string[] {
    return text.split('\n').flatMap((line) => engineLogText(line, engineStream(engine)(line)) ?? []);
  }

  it('says what happened and not how it was written down', () => {
    const [first, ...rest] = logOf('claude', recorded('claude-write.jsonl').trim());
    expect(first).toMatch(/^\[session\] [\w-]{36}, model claude-haiku/);
    expect(rest).toEqual([
      'Working on it. ',
      '[tool] Write out.txt',
      'All done.',
      '[used] 2400 tokens in (2000 cached), 68 out, 0.0009 USD\n[done]',
    ]);
    expect(logOf('opencode', recorded('opencode-write.jsonl').trim())).toContain('[tool done] write out.txt');
    expect(logOf('claude', recorded('claude-529.jsonl').trim())).toContain('[tries again, 1 of 1] overloaded');
    expect(logOf('claude', recorded('claude-401.jsonl').trim()).at(-1)).toMatch(/^\[failed\] auth: Invalid API key/);
  });

  it('keeps the lines of others as they are, and tells one that was too long', () => {
    expect(logOf('codex', 'Reading prompt from stdin...')).toEqual(['Reading prompt from stdin...']);
    expect(engineLogText(null, [{ kind: 'unknown' }])).toBe('[a line that was too long]');
  });
});

describe('what no recording has', () => {
  it('claude names the end of a limit to those who are logged in', () => {
    const limit = { status: 'rejected', resetsAt: 1_796_088_000, rateLimitType: 'five_hour' };
    const line = JSON.stringify({ type: 'rate_limit_event', rate_limit_info: limit });
    const facts = factsOf('claude', [line, ...recorded('claude-429.jsonl').trim().split('\n')]);
    const process = { code: 1, signal: null, started: true, stopRequested: false, terminalWord: null };
    expect(engineExit({ ...process, outOfMemory: false, facts, beside: null })).toMatchObject({
      class: 'rate limited',
      resetsAt: 1_796_088_000_000,
    });
  });

  it('opencode passes on when a limit ends, in seconds from then or as an instant', () => {
    const failing = (data: object): EngineFacts =>
      factsOf('opencode', [JSON.stringify({ type: 'error', timestamp: 5_000, error: { name: 'APIError', data } })]);
    const waiting = failing({ statusCode: 429, responseHeaders: { 'retry-after': '60' } });
    expect(waiting.failure).toMatchObject({ fault: 'rate limited', resetsAt: 65_000 });
    const body = JSON.stringify({ error: { resets_at: 1_796_088_428 } });
    expect(failing({ statusCode: 429, responseBody: body }).failure?.resetsAt).toBe(1_796_088_428_000);
  });

  const readOnly = "touch: cannot touch 'notes.md': Read-only file system";
  it.each([
    [
      'claude',
      'notes.md',
      [
        { message: { content: [{ type: 'tool_use', id: 't1', name: 'Write', input: { file_path: 'notes.md' } }] } },
        {
          type: 'user',
          message: {
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't1',
                is_error: true,
                content: "EROFS: read-only file system, open 'x'",
              },
            ],
          },
        },
      ],
    ],
    [
      'codex',
      'command_execution',
      [
        {
          type: 'item.completed',
          item: { id: 'i', type: 'command_execution', status: 'failed', aggregated_output: readOnly },
        },
      ],
    ],
    [
      'opencode',
      'bash',
      [
        {
          type: 'tool_use',
          part: { tool: 'bash', state: { status: 'completed', input: {}, output: readOnly, metadata: { exit: 1 } } },
        },
      ],
    ],
  ] as const)('%s tells of a write that a sandbox refused, and not where nothing failed', (engine, last, lines) => {
    const texts = lines.map((line) => JSON.stringify({ type: 'assistant', ...line }));
    expect(factsOf(engine, texts).refused).toEqual({ count: 1, last });
    const well = texts.map((text) =>
      text
        .replace('"is_error":true', '"is_error":false')
        .replace('failed', 'completed')
        .replace('"exit":1', '"exit":0'),
    );
    expect(factsOf(engine, well).refused).toBeNull();
  });

  it('codex tells the files that its own patches change', () => {
    const item = {
      id: 'item_1',
      type: 'file_change',
      changes: [{ path: '/p/a.ts', kind: 'add' }],
      status: 'completed',
    };
    const facts = factsOf('codex', [
      JSON.stringify({ type: 'item.started', item }),
      JSON.stringify({ type: 'item.completed', item }),
    ]);
    expect(facts).toMatchObject({ files: ['/p/a.ts'], tools: [], toolCount: 1 });
  });

  it('gemini is read by its documentation', () => {
    const facts = factsOf('gemini', [
      '{"type":"init","session_id":"abc","model":"gemini-2.5-pro"}',
      '{"type":"message","role":"user","content":"the prompt"}',
      '{"type":"tool_use","tool_name":"write_file","tool_id":"t1","parameters":{"file_path":"a.md"}}',
      '{"type":"tool_result","tool_id":"t1","status":"success","output":"ok"}',
      '{"type":"message","role":"assistant","content":"Done.","delta":true}',
      '{"type":"result","status":"success","stats":{"input_tokens":7,"output_tokens":3,"cached":2}}',
    ]);
    expect(facts).toMatchObject({
      sessionId: 'abc',
      model: 'gemini-2.5-pro',
      files: ['a.md'],
      said: 'Done.',
      end: 'done',
    });
    expect(facts.usage).toEqual({ inputTokens: 7, cachedTokens: 2, outputTokens: 3, costUsd: null });
  });

  it('copilot is read by its documentation', () => {
    const facts = factsOf('copilot', [
      '{"type":"session.start","data":{}}',
      '{"type":"tool.execution_start","data":{"toolCallId":"t1","toolName":"create","arguments":{"path":"a.md"}}}',
      '{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true}}',
      '{"type":"assistant.message","data":{"content":"Done."}}',
      '{"type":"result","sessionId":"abc","exitCode":0}',
    ]);
    expect(facts).toMatchObject({ sessionId: 'abc', files: ['a.md'], said: 'Done.', end: 'done', unknownLines: 0 });
  });
});

describe('any line at all', () => {
  const engines = ['claude', 'codex', 'opencode', 'gemini', 'copilot'] as const;
  const known = ['claude-write', 'claude-bash', 'codex-write', 'opencode-write', 'opencode-cut'].flatMap((name) =>
    recorded(`${name}.jsonl`).trim().split('\n'),
  );

  it('throws in no reader, is counted, and leaves facts of bounded size that are plain JSON', () => {
    const torn = fc.tuple(fc.constantFrom(...known), fc.nat(400)).map(([line, at]) => line.slice(at % line.length));
    const odd = fc.record({
      type: fc.constantFrom('system', 'assistant', 'result', 'item.completed', 'tool_use', 'error', 'turn.failed'),
      subtype: fc.constantFrom('init', 'api_retry', null),
      message: fc.jsonValue(),
      item: fc.jsonValue(),
      part: fc.jsonValue(),
      error: fc.jsonValue(),
    });
    const line = fc.oneof(
      torn,
      fc.string(),
      fc.json(),
      odd.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...engines), fc.array(line, { maxLength: 30 }), (engine, lines) => {
        const facts = factsOf(engine, lines);
        expect(facts.lines + facts.unknownLines).toBe(lines.length);
        expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
        expect(JSON.stringify(facts).length).toBeLessThan(40_000);
      }),
    );
  });

  it('that is not the engine’s own changes nothing but its count', () => {
    const lines = recorded('claude-write.jsonl').trim().split('\n');
    const noise = ['npm warn deprecated', '{"type":"news_of_2030"}', '{"type":"assis', '[1,2]', ''];
    const mixed = lines.flatMap((line, index) => [noise[index % noise.length] ?? '', line]);
    expect({ ...factsOf('claude', mixed), unknownLines: 0 }).toEqual(factsOf('claude', lines));
  });
});
