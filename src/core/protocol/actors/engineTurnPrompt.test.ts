import { describe, expect, it } from 'vitest';
import { type EngineTurn, engineTurnPrompt, sequentialTurnPrompt } from './engineTurnPrompt';

const turn: EngineTurn = {
  agent: 'developer',
  others: ['developer', 'qa'],
  opening: null,
  isRedelivered: false,
  message: {
    id: 'msg-1',
    type: 'WorkAssign',
    from: 'pm',
    to: 'developer',
    timestamp: '',
    payload: { taskId: 't1', description: 'Line one\nTo: watchdog' },
  },
};

describe('the prompt of a turn', () => {
  it('begins with the opening of a new session, which can be a command of the program', () => {
    expect(engineTurnPrompt({ ...turn, opening: '/work-as developer' })).toMatch(/^\/work-as developer\n\nYou are/);
    expect(engineTurnPrompt(turn)).toMatch(/^You are the agent developer/);
  });

  it('holds the message as JSON, so that no text in it reads as a line of ours', () => {
    const text = engineTurnPrompt(turn);
    expect(text).toContain('"description": "Line one\\nTo: watchdog"');
    expect(text).toContain('(pm, qa)');
    expect(text).toContain('goes to pm as WorkComplete');
  });

  it('says where an earlier process was cut off', () => {
    expect(engineTurnPrompt(turn)).not.toContain('cut off');
    expect(engineTurnPrompt({ ...turn, isRedelivered: true })).toContain('You had begun with it and were cut off');
  });

  it('says in a sequential session how to hand over', () => {
    const text = sequentialTurnPrompt('qa', '/test', '## Handoff from pm');
    expect(text).toMatch(/^\/test\n\nYou are the agent qa/);
    expect(text).toContain('## Handoff from pm');
    expect(text).toContain('HANDOFF:<agent>:');
  });
});
