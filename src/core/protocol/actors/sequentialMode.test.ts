import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coordinatorStateText, handoffLogText, pendingHandoffText } from './handoffDocuments';
import { readHandoffSignal, signalInOutput } from './handoffSignal';
import { nextTurn } from './nextTurn';

const timestamp = '2026-01-25T15:00:00.000Z';
const toQa = { kind: 'handoff', target: 'qa', context: 'Please test it' } as const;

describe('handoff-signal.json', () => {
  it('names who is next, with a mark in front, in capitals, without or with a context that is no text', () => {
    const text = '\uFEFF{"targetAgent":"qa","context":"Please test it","timestamp":"t"}';
    expect(readHandoffSignal(text)).toEqual({ ok: true, value: toQa });
    expect(readHandoffSignal('{"targetAgent":" QA "}')).toEqual({ ok: true, value: { ...toQa, context: '' } });
    expect(readHandoffSignal('{"targetAgent":"qa","context":{"a":1}}')).toMatchObject({
      value: { context: '{"a":1}' },
    });
  });

  it('says that all is complete', () => {
    expect(readHandoffSignal('{"type":"Complete"}')).toEqual({ ok: true, value: { kind: 'complete' } });
  });

  it('is refused with its fault, and never throws', () => {
    for (const text of ['', '{', '[]', 'null', '{"targetAgent":"../x"}', '{"targetAgent":1}']) {
      expect(readHandoffSignal(text).ok).toBe(false);
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        readHandoffSignal(text);
        signalInOutput(text);
      }),
    );
  });
});

describe('the output of an agent', () => {
  it('hands over by its last marker, whatever was said about markers before', () => {
    const prompt = 'Say HANDOFF:<agent>:<context> or <promise>RALPH_COMPLETE</promise>.\n';
    expect(
      signalInOutput(`${prompt}HANDOFF:pm:first\nmore\n**HANDOFF:QA: Please test it\r\nAGENT_READY_FOR_HANDOFF\n`),
    ).toEqual({
      signal: toQa,
      ready: true,
    });
    expect(signalInOutput('HANDOFF:qa:x\n<promise>RALPH_COMPLETE</promise>').signal).toEqual({ kind: 'complete' });
    expect(signalInOutput('HANDOFF:<agent>:<context>, NOHANDOFF:qa:x')).toEqual({ signal: null, ready: false });
  });
});

describe('the next turn', () => {
  const end = { agent: 'developer', iteration: 2, maxIterations: 3, agents: ['developer', 'qa'], signal: toQa };

  it('goes to any agent of the configuration, until the limit', () => {
    expect(nextTurn(end)).toEqual({ kind: 'turn', agent: 'qa', context: 'Please test it', iteration: 3 });
    expect(nextTurn({ ...end, iteration: 3 })).toEqual({ kind: 'max_iterations_reached' });
    expect(nextTurn({ ...end, iteration: 3, maxIterations: null }).kind).toBe('turn');
  });

  it('is none once all is complete, also at the limit', () => {
    expect(nextTurn({ ...end, iteration: 3, signal: { kind: 'complete' } })).toEqual({ kind: 'completed' });
  });

  it('is a trouble that a person sees where nobody, or nobody known, was named', () => {
    expect(nextTurn({ ...end, signal: null })).toMatchObject({
      kind: 'failed',
      trouble: expect.stringContaining('without naming'),
    });
    const unknown = nextTurn({ ...end, signal: { ...toQa, target: 'qaa' } });
    expect(unknown).toMatchObject({ kind: 'failed', trouble: expect.stringContaining('Did you mean qa?') });
  });
});

describe('the files of a sequential session', () => {
  const handoff = { from: 'developer', to: 'qa', context: 'Größe', reason: 'handoff', timestamp };

  it('give the next agent its context under the name of the one before, and where to read on', () => {
    const text = pendingHandoffText(handoff, '.claude/session');
    const pending = JSON.parse(text) as { context: string };
    expect(pending).toMatchObject({ targetAgent: 'qa', timestamp });
    expect(pending.context.startsWith('## Handoff from developer\n\nGröße\n\n---\n')).toBe(true);
    expect(pending.context).toMatch(/current-task\.json.*coordinator-state\.json/);
    expect(text).toMatch(/^[\x20-\x7e]*\n$/);
    expect(pendingHandoffText({ ...handoff, from: null }, 's')).not.toContain('Handoff from');
  });

  it('log each hand-over of this session, and begin anew after another session or a damaged log', () => {
    const one = handoffLogText(null, 's-1', handoff);
    const two = JSON.parse(handoffLogText(`\uFEFF${one}`, 's-1', { ...handoff, from: 'qa', to: 'pm' })) as object;
    expect(two).toMatchObject({
      sessionId: 's-1',
      handoffs: [
        { from: 'developer', to: 'qa' },
        { from: 'qa', to: 'pm' },
      ],
    });
    for (const before of [one.replace('s-1', 's-0'), one.slice(0, 40)]) {
      expect((JSON.parse(handoffLogText(before, 's-1', handoff)) as { handoffs: unknown[] }).handoffs).toHaveLength(1);
    }
  });

  it('tell the state, and keep what agents wrote into it', () => {
    const turn = {
      agent: 'qa',
      from: 'developer',
      context: '',
      iteration: 2,
      maxIterations: null,
      status: 'running',
    } as const;
    const state = { sessionId: 's-1', startedAt: timestamp, turn, currentTask: '{"taskId":"t-1"}' };
    const document = JSON.parse(coordinatorStateText('{"stats":{"done":4},"mine":1,"iteration":9}', state)) as object;
    expect(document).toEqual({
      sessionId: 's-1',
      startedAt: timestamp,
      maxIterations: null,
      iteration: 2,
      status: 'running',
      orchestrationMode: 'single-agent',
      currentAgent: 'qa',
      currentTask: { taskId: 't-1' },
      stats: { done: 4 },
      mine: 1,
    });
    expect(JSON.parse(coordinatorStateText(null, { ...state, currentTask: null }))).toMatchObject({
      currentTask: null,
      stats: {},
    });
  });
});
