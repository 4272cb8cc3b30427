import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coreTypes, knownType, moreTypes } from './agentTypes';
import type { Message } from './message';
import { type AgentLine, readAgentLine } from './readAgentLine';

const source = { agent: 'developer', now: Date.UTC(2026, 0, 25, 15), randomHex: () => 'aaaaaaaabbbbbbbb' };

function read(line: unknown): AgentLine {
  return readAgentLine(typeof line === 'string' ? line : JSON.stringify(line), source);
}

function messageIn(line: unknown): Message {
  const answer = read(line);
  if (answer.kind !== 'message') {
    throw new Error(`No message: ${JSON.stringify(answer)}`);
  }
  return answer.message;
}

const whole = {
  id: 'msg-20260125-150000-1234',
  type: 'WorkComplete',
  from: 'developer',
  to: 'pm',
  timestamp: '2026-01-25T15:00:00.000Z',
  payload: { taskId: 'feat-001', result: 'success' },
  inReplyTo: 'msg-20260125-145900-0001',
};

describe('a line of an agent', () => {
  it('is the message that it says, in any order of its keys', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(whole), { minLength: 7 }), (keys) => {
        const shuffled = Object.fromEntries(keys.map((key) => [key, whole[key as keyof typeof whole]]));
        expect(read(shuffled)).toEqual({ kind: 'message', message: whole, warnings: [] });
      }),
    );
  });

  it('is read with a byte order mark, spaces, a carriage return and keys in another case', () => {
    const { payload, ...rest } = whole;
    expect(messageIn(`\uFEFF\uFEFF  ${JSON.stringify({ ...rest, Payload: payload })} \r`)).toEqual(whole);
    expect(messageIn({ TYPE: 'Query', To: 'qa', inreplyto: 'm' })).toMatchObject({
      type: 'Query',
      to: 'qa',
      inReplyTo: 'm',
    });
  });

  it('has its type in the one spelling, whatever case it came in', () => {
    const type = fc.constantFrom(...coreTypes, ...moreTypes);
    const anyCase = fc.tuple(type, fc.infiniteStream(fc.boolean())).map(([word, ups]) => {
      const flips = ups[Symbol.iterator]();
      const flipped = Array.from(word, (letter) => (flips.next().value ? letter.toUpperCase() : letter.toLowerCase()));
      return [word, flipped.join('')] as const;
    });
    fc.assert(
      fc.property(anyCase, ([word, written]) => {
        expect(messageIn({ type: written }).type).toBe(word);
      }),
    );
  });

  it('keeps a type that nobody knows, with a warning', () => {
    expect(read({ type: 'Party', to: 'qa' })).toMatchObject({
      message: { type: 'Party', to: 'qa' },
      warnings: [expect.stringContaining('Party')],
    });
  });

  it('goes to the usual recipient where a list was named, with a warning', () => {
    expect(read({ type: 'Query', to: ['qa', 'pm'] })).toMatchObject({
      message: { to: 'pm' },
      warnings: [expect.stringContaining('went to pm')],
    });
    expect(read({ type: 'Query', to: null })).toMatchObject({ message: { to: 'pm' }, warnings: [] });
  });

  it('comes from the endpoint that it came in by, and tells of another name in it', () => {
    expect(read({ ...whole, from: 'pm' })).toMatchObject({ message: { from: 'developer' }, claimedFrom: 'pm' });
    expect(read({ type: 'Query' })).not.toHaveProperty('claimedFrom');
  });

  it('gets what it lacks: an id of ours, the time, and the recipient that its type usually has', () => {
    const bare = messageIn({ type: 'WorkBlocked', id: '', timestamp: null, payload: null });
    expect(bare).toEqual({
      id: 'msg-20260125-150000-aaaaaaaabbbbbbbb',
      type: 'WorkBlocked',
      from: 'developer',
      to: 'pm',
      timestamp: '2026-01-25T15:00:00.000Z',
      payload: {},
    });
    expect(messageIn({ type: 'agent_ready' })).toMatchObject({ type: 'AgentStatus', to: 'watchdog' });
    expect(messageIn({ type: 'CliInvoke' }).to).toBe('watchdog');
  });

  it('keeps a payload that is no object as a value, and what shutdown and error said by their names', () => {
    expect(messageIn({ type: 'Query', payload: ['a'] }).payload).toEqual({ value: ['a'] });
    expect(messageIn({ type: 'SHUTDOWN' })).toMatchObject({ type: 'System', payload: { systemEvent: 'shutdown' } });
    expect(messageIn({ type: 'error', payload: { message: 'm' } }).payload).toEqual({
      systemEvent: 'error',
      message: 'm',
    });
  });

  it('means nothing when it is blank or null', () => {
    for (const line of ['', '  \r', '\uFEFF', 'null', ' null ']) {
      expect(read(line)).toEqual({ kind: 'ignored' });
    }
  });

  it('is refused in a sentence when it is no message', () => {
    const deep = `{"type":"Query","payload":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`;
    for (const line of ['{', 'true', '"text"', '[1]', '{}', '{"type":" "}', '{"type":{}}', deep]) {
      expect(read(line)).toEqual({ kind: 'error', reason: expect.stringMatching(/^This .*\.$/) });
    }
  });

  it('is refused above 1 MiB, counted in bytes', () => {
    const line = (text: string): string => JSON.stringify({ type: 'Query', payload: { text } });
    const room = 1024 * 1024 - line('').length;
    expect(read(line('x'.repeat(room))).kind).toBe('message');
    expect(read(line('x'.repeat(room + 1)))).toMatchObject({ reason: expect.stringContaining('1 MiB') });
    expect(read(line('ü'.repeat(room / 2 + 1)))).toMatchObject({ reason: expect.stringContaining('1 MiB') });
  });

  it('never throws, and what it gives can always be written out again', () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((some) => new TextDecoder().decode(some));
    const json = fc.json();
    const almost = fc.record(
      { type: fc.constantFrom('Query', 'WorkAssign', 'x'), to: fc.anything(), from: fc.anything(), payload: fc.json() },
      { requiredKeys: ['type'] },
    );
    const line = fc.oneof(
      bytes,
      json,
      almost.map((record) => JSON.stringify(record, (_key, value: unknown) => (typeof value === 'bigint' ? 1 : value))),
    );
    fc.assert(
      fc.property(line, (text) => {
        const answer = readAgentLine(text, source);
        if (answer.kind === 'message') {
          expect(readAgentLine(JSON.stringify(answer.message), source)).toMatchObject({ message: answer.message });
        }
      }),
    );
  });
});

describe('the types', () => {
  it('are twelve and seven, and no other word is one', () => {
    expect([coreTypes.length, moreTypes.length]).toEqual([12, 7]);
    expect(knownType('constructor')).toBeNull();
    expect(knownType('Shutdown')).toBeNull();
  });

  // The mapping of actors.md §4 as it stands there.
  const table = `
    agent_ready, status_update → AgentStatus · task_assign, asset_assign → WorkAssign · validation_request, test_plan_request,
    regression_request → ValidationRequest · task_complete, implementation_complete, work_complete, asset_ready → WorkComplete ·
    task_abandoned → WorkAbandoned · work_blocked → WorkBlocked · bug_report, quality_concern → ProblemReport · question,
    asset_question, design_question, reference_request, skill_request → Query · answer, design_answer, design_guidance,
    priority_response, research_response, skill_improvements → Response · gdd_ready, gdd_update, mechanic_proposal → DesignUpdate ·
    retrospective_initiate, retrospective_contribution → Retrospective · prd_reorganized, prd_update → PlanUpdate ·
    research_request, research_update → ResearchUpdate · test_plan_contribution → ValidationResult · playtest_request,
    playtest_report → Playtest · shutdown, error → System`;
  const rows = table.split('·').flatMap((row) => {
    const [names = '', type = ''] = row.split('→').map((part) => part.trim());
    return names.split(',').map((name) => [name.trim(), type] as const);
  });

  it.each(rows)('of the first version: %s is %s, in any case and without a warning', (name, type) => {
    for (const word of [name, name.toUpperCase()]) {
      expect(read({ type: word })).toMatchObject({ message: { type }, warnings: [] });
    }
  });
});
