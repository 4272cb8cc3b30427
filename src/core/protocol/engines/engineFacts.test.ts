import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeAnswerLine } from './claudeControl';
import { readClaudeLine } from './claudeStream';
import type { EngineEvent } from './engineEvent';
import {
  answeredRequest,
  foldedRuns,
  foldEngineLine,
  noEngineFacts,
  usageOfRuns,
  type EngineFacts,
} from './engineFacts';

function after(...events: EngineEvent[]): EngineFacts {
  return events.reduce((facts, event) => foldEngineLine(facts, [event]), noEngineFacts);
}

function asked(requestId: string, tool = 'Bash'): EngineEvent {
  return { kind: 'asked', requestId, isQuestion: false, tool, input: {} };
}

describe('the facts of a run', () => {
  it('count each use of tokens once, and take the program’s own sum in their place', () => {
    const usage = { inputTokens: 10, cachedTokens: 4, outputTokens: 1, costUsd: null };
    const step = (key: string): EngineEvent => ({ kind: 'usage', covers: 'step', key, usage });
    expect(after(step('a'), step('a'), step('b')).usage).toEqual({
      ...usage,
      inputTokens: 20,
      cachedTokens: 8,
      outputTokens: 2,
    });
    const total = { inputTokens: 50, cachedTokens: 0, outputTokens: 9, costUsd: 0.5 };
    const run = after(step('a'), { kind: 'usage', covers: 'run', key: null, usage: total }, step('c'));
    expect(run.usage).toEqual({ inputTokens: 60, cachedTokens: 4, outputTokens: 10, costUsd: 0.5 });
  });

  it('of several runs add up, and the sum of a session is counted once', () => {
    const usage = (inputTokens: number): EngineFacts['usage'] => ({
      inputTokens,
      cachedTokens: 0,
      outputTokens: 0,
      costUsd: null,
    });
    const run = (sessionId: string, tokens: number, usageCovers: 'run' | 'session') => ({
      sessionId,
      usage: usage(tokens),
      usageCovers,
    });
    expect(usageOfRuns([run('a', 1, 'run'), run('a', 2, 'run')]).inputTokens).toBe(3);
    expect(usageOfRuns([run('a', 1, 'session'), run('b', 5, 'session'), run('a', 4, 'session')]).inputTokens).toBe(9);
  });

  it('of any number of runs are kept in two entries, whose sum is the same however they came', () => {
    const runs = fc.array(
      fc.record({
        sessionId: fc.constantFrom('a', 'b', null),
        usageCovers: fc.constantFrom('run' as const, 'session' as const),
        usage: fc.record({
          inputTokens: fc.nat(9),
          cachedTokens: fc.constant(0),
          outputTokens: fc.constant(0),
          costUsd: fc.constantFrom(null, 1),
        }),
      }),
    );
    fc.assert(
      fc.property(runs, (some) => {
        const folded = foldedRuns(some);
        expect(folded.length).toBeLessThanOrEqual(2);
        expect(usageOfRuns(folded)).toEqual(usageOfRuns(some));
      }),
    );
    const session = (inputTokens: number): Parameters<typeof foldedRuns>[0][number] => ({
      sessionId: 'a',
      usageCovers: 'session',
      usage: { ...noEngineFacts.usage, inputTokens },
    });
    expect(usageOfRuns([...foldedRuns([session(3), session(5)]), session(8)]).inputTokens).toBe(8);
  });

  it('hold what a person is asked until it is answered, withdrawn or over', () => {
    const two = after(asked('1'), asked('2'));
    expect(two.asked.map((request) => request.requestId)).toEqual(['1', '2']);
    expect(answeredRequest(two, '1').asked).toHaveLength(1);
    expect(after(asked('1'), { kind: 'withdrawn', requestId: '1' }).asked).toEqual([]);
    expect(after(asked('1'), { kind: 'done' }).asked).toEqual([]);
  });

  it('take back an end when the model goes on, and a failure too', () => {
    expect(after({ kind: 'done' }, { kind: 'turn' }).end).toBeNull();
    const failed: EngineEvent = { kind: 'failed', fault: 'overloaded', text: 'x', resetsAt: null };
    expect(after(failed, { kind: 'turn' }, { kind: 'done' })).toMatchObject({ failure: null, end: 'done' });
  });

  it('keep the reason of a failure that is told twice, once without it', () => {
    const told = (fault: 'auth' | 'other'): EngineEvent => ({ kind: 'failed', fault, text: fault, resetsAt: null });
    expect(after(told('auth'), told('other')).failure?.fault).toBe('auth');
    expect(after(told('other'), told('auth')).failure?.fault).toBe('auth');
  });

  it('are safe to show, whatever a model writes', () => {
    const said = after({ kind: 'text', text: `a\u001B[31mred\u202E${'x'.repeat(10_000)}` }).said ?? '';
    expect(said).toMatch(/^a red x+…$/);
    expect(said.length).toBeLessThanOrEqual(300);
  });
});

describe('a permission request of claude', () => {
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' } };

  it('is read with what is needed to answer it', () => {
    const line = JSON.stringify({ type: 'control_request', request_id: 'r1', request });
    expect(readClaudeLine(line)).toEqual([
      { kind: 'asked', requestId: 'r1', isQuestion: false, tool: 'Bash', input: { command: 'ls' } },
    ]);
    const question = JSON.stringify({
      type: 'control_request',
      request_id: 'r2',
      request: { ...request, tool_name: 'AskUserQuestion' },
    });
    expect(readClaudeLine(question)).toMatchObject([{ kind: 'asked', isQuestion: true }]);
    expect(readClaudeLine('{"type":"control_cancel_request","request_id":"r1"}')).toEqual([
      { kind: 'withdrawn', requestId: 'r1' },
    ]);
  });

  it('is answered by one line, whatever is in the answer', () => {
    const line = claudeAnswerLine('r1', { allow: false, message: 'no\nnever' });
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(JSON.parse(line)).toMatchObject({ response: { request_id: 'r1', response: { behavior: 'deny' } } });
  });
});
