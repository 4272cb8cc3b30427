import { describe, expect, it } from 'vitest';
import { anExit } from '../../../../test/support/workerFacts';
import { callEnd, type CallEvidence } from './callEnd';
import { callTroubleIn, callTroubleLine } from './callTrouble';

const end = (parts: Partial<CallEvidence>) =>
  callEnd({ exit: anExit({ code: null, class: 'crash' }), lines: [], endedFor: null, ...parts }, 310);

describe('the end of a call', () => {
  it('is good where its process left with 0, whatever came behind', () => {
    expect(end({ exit: anExit() })).toEqual({ exitCode: 0, error: null });
    expect(end({ exit: anExit({ class: 'asked to stop' }), endedFor: 'late' })).toEqual({ exitCode: 0, error: null });
  });

  it('tells the program’s exit code and the reason that its process gave last', () => {
    const lines = ['[failed] older', 'text', callTroubleLine('claude  ended\nwith 3. Retry.'), 'more text'];
    expect(end({ exit: anExit({ code: 3, class: 'crash' }), lines })).toEqual({
      exitCode: 3,
      error: 'claude ended with 3. Retry.',
    });
    expect(callTroubleIn(['text'])).toBeNull();
    expect(end({ exit: anExit({ code: 3, class: 'crash' }) }).error).toContain('exit code 3');
  });

  it('has no exit code of the program where that was ended or nobody saw it, and says why', () => {
    const ended = anExit({ code: null, signal: 'SIGTERM', class: 'asked to stop', requestedBy: 'fuse' });
    expect(end({ exit: ended })).toMatchObject({ exitCode: -1, error: expect.stringContaining('longer than 310 s') });
    expect(end({ exit: ended, endedFor: 'qa was stopped.' })).toEqual({ exitCode: -1, error: 'qa was stopped.' });
    expect(end({ exit: null }).error).toContain('Nobody could see');
    expect(end({ exit: anExit({ code: null, class: 'never started' }) }).error).toContain('before it began');
    expect(end({ exit: anExit({ code: null, class: 'unknown exit' }) }).error).toContain('cut off');
    expect(end({ exit: anExit({ code: null, signal: 'SIGKILL', class: 'crash' }) }).error).toContain('SIGKILL');
  });
});
