import { describe, expect, it } from 'vitest';
import { aMessage } from '../../../../test/support/sessionLines';
import { cliCompletePayload, readCliInvoke } from './cliInvoke';

const folders = { cwd: '/project', sessionDir: '/project/.claude/session' };
const invoke = (
  messageFile: unknown,
  responseFile: unknown = '.claude/session/out.txt',
  agentName: unknown = 'developer',
) => readCliInvoke(aMessage({ type: 'CLIInvoke', payload: { agentName, messageFile, responseFile } }), folders);

describe('a call of an agent to its own command line', () => {
  it('names files of the session folder, from the agent’s working folder on and with either separator', () => {
    for (const file of [
      '.claude/session/in.txt',
      '.\\.claude\\session\\in.txt',
      '/project/.claude/session/x/../in.txt',
    ]) {
      expect(invoke(file)).toEqual({
        ok: true,
        value: { messageFile: '/project/.claude/session/in.txt', responseFile: '/project/.claude/session/out.txt' },
      });
    }
    const windows = { cwd: 'C:\\p', sessionDir: 'C:\\p\\s' };
    const payload = { agentName: 'Developer', messageFile: 's\\in.txt', responseFile: 'C:/p/s/out.txt' };
    expect(readCliInvoke(aMessage({ payload }), windows)).toMatchObject({ value: { messageFile: 'C:/p/s/in.txt' } });
  });

  it.each([
    ['../secret'],
    ['.claude/session/../../x'],
    ['.claude/session'],
    ['.claude/session-2/x'],
    ['/etc/passwd'],
    ['/../../x'],
    ['.claude/session/\0'],
    [''],
    [null],
    [7],
  ])('is refused for the file %j', (file) => {
    expect(invoke(file)).toEqual({ ok: false, error: expect.stringContaining('session folder') });
    expect(invoke('.claude/session/in.txt', file).ok).toBe(false);
  });

  it.each(['eventlog.jsonl', 'EventLog.jsonl', 'keepers/developer/keeper.json', './x/../logs/developer.log'])(
    'is refused for %s, which has its one writer',
    (name) => {
      for (const answer of [
        invoke(`.claude/session/${name}`),
        invoke('.claude/session/in.txt', `.claude/session/${name}`),
      ]) {
        expect(answer).toEqual({ ok: false, error: expect.stringContaining('is a file of the session itself') });
      }
    },
  );

  it('is refused for another agent', () => {
    for (const name of ['qa', null, 3]) {
      expect(invoke('.claude/session/in.txt', undefined, name)).toEqual({
        ok: false,
        error: expect.stringContaining('developer'),
      });
    }
  });

  it('is answered with how it ended', () => {
    const completedAt = '1970-01-01T00:00:01.000Z';
    expect(cliCompletePayload('qa', 0, null, 1000)).toEqual({
      agentName: 'qa',
      exitCode: 0,
      success: true,
      completedAt,
    });
    expect(cliCompletePayload('qa', 3, 'no', 1000)).toMatchObject({ exitCode: 3, success: false, error: 'no' });
  });
});
