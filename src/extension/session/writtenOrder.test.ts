import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageFrom, newTaskId, readOrder, workFrom } from './writtenOrder';

const now = new Date(Date.UTC(2026, 2, 1, 14, 30, 22));

describe('work that a person writes', () => {
  it('has its first line as title, the rest as description, and a task id of its own', () => {
    expect(workFrom('# Build the login page\n\nWith a way back.\n', now)).toEqual({
      type: 'WorkAssign',
      payload: {
        taskId: 'task-20260301-143022',
        workType: 'task',
        title: 'Build the login page',
        description: 'With a way back.',
        acceptanceCriteria: [],
      },
    });
    expect(newTaskId(now)).toBe('task-20260301-143022');
  });

  it('is nothing while nothing is written', () => {
    expect(workFrom(' \n ', now)).toBe('empty');
  });
});

describe('a message that a person writes', () => {
  it.each([
    ['Query', { question: 'How far?', context: '' }],
    ['System', { systemEvent: 'info', message: 'How far?' }],
    ['PlanUpdate', { message: 'How far?' }],
  ])('as %s has the payload of the protocol', (type, payload) => {
    expect(messageFrom(type, ' How far? ')).toEqual({ type, payload });
  });

  it('of any other type is one JSON object', () => {
    expect(messageFrom('Playtest', '{"level": 3}')).toEqual({ type: 'Playtest', payload: { level: 3 } });
    for (const text of ['level 3', '[3]', '3', 'null', '{']) {
      expect(messageFrom('Playtest', text)).toBe('no-object');
    }
    expect(messageFrom('Playtest', ' ')).toBe('empty');
  });
});

describe('the address of a draft', () => {
  it.each([
    { kind: 'answer', root: '/project', item: 'msg:7' },
    { kind: 'assign', root: '/project', to: 'qa' },
    { kind: 'send', root: '/project', to: 'qa', type: 'Query' },
  ] as const)('tells after a reload what it is for ($kind)', (order) => {
    expect(readOrder(JSON.stringify(order))).toEqual(order);
  });

  it('of somebody else is none', () => {
    expect(readOrder('{"kind": "send", "root": "/project"}')).toBeNull();
    expect(readOrder('{"kind": "shout", "root": "/project", "to": "qa", "type": "x", "item": "y"}')).toBeNull();
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readOrder(text)).toBeNull();
      }),
    );
  });
});
