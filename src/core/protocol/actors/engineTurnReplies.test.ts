import { describe, expect, it } from 'vitest';
import { engineTurnReplies } from './engineTurnReplies';
import type { Message } from './message';

function message(type: string, payload: Message['payload'] = {}, from = 'pm'): Message {
  return { id: 'msg-1', type, from, to: 'developer', timestamp: '2026-03-01T12:00:00.000Z', payload };
}

const task = message('WorkAssign', { taskId: 't1', title: 'Paint it' });

function after(of: Message, text: string): ReturnType<typeof engineTurnReplies> {
  return engineTurnReplies('developer', of, { kind: 'done', text });
}

describe('the end of a turn', () => {
  it('answers each kind of message in its own way', () => {
    const inReplyTo = 'msg-1';
    expect(after(task, 'Painted.\n').messages).toEqual([
      { to: 'pm', type: 'WorkComplete', payload: { taskId: 't1', result: 'success', notes: 'Painted.' }, inReplyTo },
    ]);
    expect(after(message('Query', { question: 'Why?' }, 'qa'), 'Because.').messages).toEqual([
      { to: 'qa', type: 'Response', payload: { answer: 'Because.' }, inReplyTo },
    ]);
    const validate = message('ValidationRequest', { taskId: 't1' }, 'qa');
    expect(after(validate, '**PASSED**: all of it').messages).toMatchObject([
      { to: 'qa', type: 'ValidationResult', payload: { taskId: 't1', passed: true } },
    ]);
    expect(after(validate, 'FAILED: nothing passed').messages).toMatchObject([{ payload: { passed: false } }]);
    expect(after(message('Response', { answer: 'Red.' }), 'I see.').messages).toEqual([]);
  });

  it('that failed says why to the coordinator, and to whoever asked', () => {
    const end = { kind: 'failed', reason: 'Log in.' } as const;
    expect(engineTurnReplies('developer', task, end).messages).toEqual([
      { to: 'pm', type: 'WorkBlocked', payload: { taskId: 't1', reason: 'Log in.' }, inReplyTo: 'msg-1' },
    ]);
    const asked = engineTurnReplies('developer', message('Query', {}, 'qa'), end).messages;
    expect(asked.map(({ to, type }) => [to, type])).toEqual([
      ['pm', 'WorkBlocked'],
      ['qa', 'Response'],
    ]);
  });

  it('clips an answer that no existing agent could take', () => {
    const [sent] = after(task, '字'.repeat(20_000)).messages;
    expect(String(sent?.payload['notes'])).toHaveLength(8_000);
  });
});

describe('a line of JSON in the answer', () => {
  const report = '{"to":"pm","type":"problemreport","payload":{"description":"dry"}}';

  it('is sent besides, and is no part of the answer', () => {
    const { messages, faults } = after(task, `Painted.\n  ${report}\nAll of it.`);
    expect(faults).toEqual([]);
    expect(messages).toMatchObject([
      { to: 'pm', type: 'ProblemReport', payload: { description: 'dry' } },
      { type: 'WorkComplete', payload: { notes: 'Painted.\nAll of it.' } },
    ]);
    expect(messages[0]).not.toHaveProperty('inReplyTo');
  });

  it.each([
    ['{"to":"pm","type":"WorkBlocked","payload":{"reason":"no paint"}}', { taskId: 't1', reason: 'no paint' }, 'msg-1'],
    ['{"to":"pm","type":"WorkComplete","payload":{"taskId":"t2"}}', { taskId: 't2' }, 'msg-1'],
    ['{"to":"qa","type":"Query","payload":{"question":"Which?"}}', { question: 'Which?' }, undefined],
    ['{"to":"qa","type":"Response","inReplyTo":"msg-0","payload":{"answer":"x"}}', { answer: 'x' }, 'msg-0'],
  ])('takes the place of the default: %s', (line, payload, inReplyTo) => {
    const { messages } = after(task, `Well.\n${line}`);
    expect(messages).toHaveLength(1);
    expect(messages[0]?.payload).toEqual(payload);
    expect(messages[0]?.inReplyTo).toBe(inReplyTo);
  });

  it.each([
    ['{"to":"qa","type":"System","payload":{"systemEvent":"shutdown"}}', 'may not send'],
    ['{"to":"watchdog","type":"CLIInvoke","payload":{}}', 'may not send'],
    ['{"to":"qa","type":"Gossip"}', 'may not send'],
    ['{"to":"qa","type":"Query","from":"pm","payload":{}}', 'another sender'],
    ['{"to":"qa","type":"Query","payload":"Why?"}', 'no object'],
  ])('is not sent where it may not be: %s', (line, why) => {
    const { messages, faults } = after(task, `Done.\n${line}`);
    expect(messages.map(({ type }) => type)).toEqual(['WorkComplete']);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(why);
  });

  it('that is no message stays a part of the text', () => {
    const text = 'Its settings:\n{"colour":"red"}\n{ not json }\n{"type":"Query"}';
    expect(after(task, text)).toMatchObject({ messages: [{ payload: { notes: text } }], faults: [] });
  });
});
