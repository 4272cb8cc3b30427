import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statusWords } from '../../../../test/support/protocolArbitraries';
import { foldStatusWord, isActive, isTerminal } from './statusWord';

describe('status words', () => {
  it.each([...statusWords, 'unknown'])('%s means itself', (word) => {
    expect(foldStatusWord(word)).toBe(word);
  });

  it.each([
    ['Stop_Requested', 'stop-requested'],
    [' stop requested ', 'stop-requested'],
    ['COMPLETE', 'completed'],
    ['done', 'completed'],
    ['success', 'completed'],
    ['error', 'failed'],
    ['cancelled', 'stopped'],
    ['in progress', 'running'],
  ])('%s means %s', (raw, word) => {
    expect(foldStatusWord(raw)).toBe(word);
  });

  it('are not made out of anything else', () => {
    expect(foldStatusWord('')).toBeNull();
    expect(foldStatusWord('constructor')).toBeNull();
    fc.assert(fc.property(fc.jsonValue(), (raw) => typeof raw === 'string' || foldStatusWord(raw) === null));
  });

  it('are active, ended, or neither, never both', () => {
    expect(statusWords.filter(isActive)).toEqual(['starting', 'running']);
    expect(statusWords.filter(isTerminal)).toEqual(['completed', 'failed', 'stopped']);
    expect(isTerminal('unknown') || isActive('unknown')).toBe(false);
  });
});
