import { describe, expect, it } from 'vitest';
import { readEnginesSettings } from './engineSettings';

describe('the settings of engines', () => {
  it('take what is sound and leave out the rest', () => {
    const { engines, answerMs } = readEnginesSettings({
      answerMinutes: 2,
      claude: {
        program: ' /opt/claude ',
        models: { haiku: 'small', sonnet: 7 },
        hosts: ['api.internal', 1],
        args: 'x',
      },
      codex: 'none',
      other: { program: '/bin/other' },
    });
    expect(answerMs).toBe(120_000);
    expect(engines['claude']).toEqual({
      program: '/opt/claude',
      models: { haiku: 'small' },
      hosts: ['api.internal'],
      args: [],
    });
    expect(engines['codex']).toEqual({ program: null, models: {}, hosts: [], args: [] });
    expect(Object.keys(engines)).toEqual(['claude', 'codex', 'opencode', 'gemini', 'copilot']);
  });

  it.each([undefined, null, 'text', [], { answerMinutes: 0 }, { answerMinutes: '5' }])(
    'give half an hour to answer where %j says nothing sound',
    (value) => {
      expect(readEnginesSettings(value).answerMs).toBe(1_800_000);
    },
  );
});
