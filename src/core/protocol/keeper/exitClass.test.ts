import { describe, expect, it } from 'vitest';
import { classifyExit, classifySpawnError, type ExitEvidence } from './exitClass';

const plain: ExitEvidence = {
  started: true,
  code: 0,
  signal: null,
  stopRequested: false,
  terminalWord: null,
  outOfMemory: false,
};

describe('classifyExit', () => {
  it.each<[string, Partial<ExitEvidence>, string]>([
    ['exit 0', {}, 'done'],
    ['another code', { code: 3 }, 'crash'],
    ['a code although the worker said completed', { code: 1, terminalWord: 'completed' }, 'crash'],
    ["a fault's signal", { code: null, signal: 'SIGSEGV' }, 'crash'],
    ['a signal that someone sent', { code: null, signal: 'SIGTERM' }, 'killed by someone else'],
    ['SIGKILL', { code: null, signal: 'SIGKILL' }, 'killed by someone else'],
    ['SIGKILL with the kernel as witness', { code: null, signal: 'SIGKILL', outOfMemory: true }, 'out of memory'],
    [
      'another signal while memory ran out',
      { code: null, signal: 'SIGTERM', outOfMemory: true },
      'killed by someone else',
    ],
    ['an end that nobody saw', { code: null }, 'unknown exit'],
    ['what never had a process', { code: null, started: false }, 'never started'],
    ['a stop of what never had a process', { code: null, started: false, stopRequested: true }, 'asked to stop'],
    ['exit 0 after a stop', { stopRequested: true }, 'asked to stop'],
    ['any code after a stop', { stopRequested: true, code: 9 }, 'asked to stop'],
    ['a signal after a stop', { stopRequested: true, code: null, signal: 'SIGKILL' }, 'asked to stop'],
    ['an unseen end after a stop', { stopRequested: true, code: null }, 'asked to stop'],
    ['the word stopped after a stop', { stopRequested: true, terminalWord: 'stopped' }, 'asked to stop'],
    ['the word completed after a stop', { stopRequested: true, terminalWord: 'completed' }, 'done'],
    ['the word failed after a stop', { stopRequested: true, terminalWord: 'failed', code: 1 }, 'crash'],
    [
      'our signal although the worker had said completed',
      { stopRequested: true, terminalWord: 'completed', code: null, signal: 'SIGTERM' },
      'asked to stop',
    ],
  ])('calls %s by its name', (_what, evidence, expected) => {
    expect(classifyExit({ ...plain, ...evidence })).toBe(expected);
  });

  it('tells a missing program from one that is set up wrongly', () => {
    expect(classifySpawnError('ENOENT')).toBe('not installed');
    expect(classifySpawnError('EACCES')).toBe('config');
    expect(classifySpawnError(undefined)).toBe('config');
  });
});
