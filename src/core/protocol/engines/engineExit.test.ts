import { describe, expect, it } from 'vitest';
import { engineExit, type EngineEvidence } from './engineExit';
import type { EngineFault } from './engineEvent';
import { noEngineFacts, type EngineFacts } from './engineFacts';

function verdict(facts: Partial<EngineFacts>, evidence: Partial<EngineEvidence> = {}): ReturnType<typeof engineExit> {
  return engineExit({
    code: 0,
    signal: null,
    started: true,
    stopRequested: false,
    terminalWord: null,
    outOfMemory: false,
    facts: { ...noEngineFacts, lines: 3, ...facts },
    beside: null,
    ...evidence,
  });
}

function failing(fault: EngineFault, resetsAt: number | null = null): Partial<EngineFacts> {
  return { failure: { fault, text: 'why', resetsAt } };
}

describe('the end of an engine', () => {
  it('is done with its end line and exit 0 alone', () => {
    expect(verdict({ end: 'done' }).class).toBe('done');
    expect(verdict({ end: null })).toMatchObject({ class: 'crash', remedy: 'retry' });
    expect(verdict({ end: null }).reason).toContain('without the last line');
    expect(verdict({ end: null, lines: 0 })).toMatchObject({ class: 'crash' });
    expect(verdict({ end: 'done' }, { code: 1 })).toMatchObject({ class: 'crash' });
  });

  it('is the failure that the stream tells, even with exit 0', () => {
    expect(verdict(failing('auth'))).toEqual({
      class: 'auth',
      reason: 'why',
      resetsAt: null,
      remedy: 'log in',
      isTransient: false,
    });
    expect(verdict(failing('own limit'), { code: 1 })).toMatchObject({ class: 'config', remedy: 'raise limit' });
    expect(verdict(failing('overloaded'), { code: 1 })).toMatchObject({ class: 'crash', isTransient: true });
    expect(verdict(failing('cut'), { code: 1 })).toMatchObject({ class: 'crash', isTransient: true });
    expect(verdict(failing('other'), { code: 1 })).toMatchObject({ class: 'crash', isTransient: false });
  });

  it('waits for the end of a limit where anybody named one', () => {
    expect(verdict(failing('rate limited', 5)).resetsAt).toBe(5);
    expect(verdict({ ...failing('rate limited'), allowanceResetsAt: 7 }).resetsAt).toBe(7);
    expect(verdict(failing('other'), { beside: { fault: 'rate limited', resetsAt: 9 } })).toMatchObject({
      class: 'rate limited',
      reason: 'why',
      resetsAt: 9,
    });
  });

  it('was asked for where somebody had asked, whatever the stream says', () => {
    const asked = { stopRequested: true };
    expect(verdict({ end: 'interrupted' }, { ...asked, code: 1 }).class).toBe('asked to stop');
    expect(verdict({ end: 'done' }, asked).class).toBe('asked to stop');
    expect(verdict(failing('other'), { ...asked, code: null, signal: 'SIGTERM' }).class).toBe('asked to stop');
    expect(verdict({ end: 'done' }, { ...asked, terminalWord: 'completed' }).class).toBe('done');
  });

  it('is what its last line says where nobody saw its exit code', () => {
    const unseen = { code: null };
    expect(verdict({ end: 'done' }, unseen).class).toBe('done');
    expect(verdict(failing('rate limited', 5), unseen)).toMatchObject({ class: 'rate limited', resetsAt: 5 });
    expect(verdict({ end: null }, unseen).class).toBe('unknown exit');
  });

  it('was done, where its own last word came before the stop cut its output short', () => {
    const asked = { stopRequested: true, terminalWord: 'completed', code: 1 } as const;
    expect(verdict({ end: 'interrupted' }, asked).class).toBe('done');
    expect(verdict({ end: 'interrupted' }, { ...asked, terminalWord: 'failed' }).class).toBe('crash');
  });

  it('is somebody else’s doing where it was interrupted unasked', () => {
    expect(verdict({ end: 'interrupted' })).toMatchObject({ class: 'killed by someone else' });
    expect(verdict({}, { code: null, signal: 'SIGINT' })).toMatchObject({ class: 'killed by someone else' });
  });

  it('is a matter of configuration where the program said nothing at all', () => {
    expect(verdict({ lines: 0, unknownLines: 2 }, { code: 2 })).toMatchObject({
      class: 'config',
      remedy: 'check configuration',
    });
  });
});
