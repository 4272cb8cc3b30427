import { describe, expect, it } from 'vitest';
import { expectsAnswer, isAnsweredBy } from './answers';
import type { Message } from './message';

function message(type: string, rest: Partial<Message> = {}): Message {
  return { id: 'm-1', type, from: 'pm', to: 'qa', timestamp: 't', payload: { taskId: 'feat-001' }, ...rest };
}
const reply = (type: string, rest: Partial<Message> = {}): Message => message(type, { id: 'm-2', from: 'qa', ...rest });

describe('an answer', () => {
  it('is waited for by work, questions, validations and calls alone', () => {
    const types = ['WorkAssign', 'Query', 'ValidationRequest', 'CLIInvoke', 'Response', 'System', 'AgentStatus', 'x'];
    expect(types.filter((type) => expectsAnswer({ type }))).toEqual(types.slice(0, 4));
  });

  it.each([
    ['WorkAssign', 'WorkComplete'],
    ['WorkAssign', 'WorkBlocked'],
    ['WorkAssign', 'WorkAbandoned'],
    ['ValidationRequest', 'ValidationResult'],
  ])('to %s is %s about the same task, and not about another', (type, answer) => {
    expect(isAnsweredBy(message(type), reply(answer))).toBe(true);
    expect(isAnsweredBy(message(type), reply(answer, { payload: { taskId: 'feat-002' } }))).toBe(false);
    expect(isAnsweredBy(message(type), reply('ProblemReport'))).toBe(false);
  });

  it('names what it answers, also by a task that is a number on one side', () => {
    expect(isAnsweredBy(message('Query'), reply('Response', { inReplyTo: 'm-1' }))).toBe(true);
    expect(isAnsweredBy(message('Query'), reply('Response'))).toBe(false);
    expect(isAnsweredBy(message('AgentStatus'), reply('Response', { inReplyTo: 'm-1' }))).toBe(false);
    const numbered = message('WorkAssign', { payload: { taskId: 7 } });
    expect(isAnsweredBy(numbered, reply('WorkComplete', { payload: { taskId: '7' } }))).toBe(true);
    expect(isAnsweredBy(message('WorkAssign', { payload: {} }), reply('WorkComplete', { payload: {} }))).toBe(false);
  });
});
