import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration } from './formatDuration';
import { escapeMarkdown, plainLine, plainLog } from './plainText';
import { plainEnglish } from './words';

const ESC = String.fromCharCode(0x1b);

describe('a duration', () => {
  it.each([
    [-5_000, '0 s'],
    [Number.NaN, '0 s'],
    [3_999, '3 s'],
    [60_000, '1m 00s'],
    [134_000, '2m 14s'],
    [3_900_000, '1h 05m'],
    [183_600_000, '2d 03h'],
  ])('of %d ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('never grows while time goes back', () => {
    fc.assert(
      fc.property(fc.integer(), (ms) => {
        expect(formatDuration(ms)).toMatch(/^(\d+ s|\d+m \d\ds|\d+h \d\dm|\d+d \d\dh)$/);
      }),
    );
  });
});

describe('text from a file', () => {
  it('loses terminal sequences and what turns the reading direction', () => {
    expect(plainLine(`${ESC}[31mred${ESC}[0m ${ESC}]0;title${String.fromCharCode(7)}\u202Etxt\n next`)).toBe(
      'red txt next',
    );
  });

  it('is cut at whole characters', () => {
    expect(plainLine('👍👍👍👍', 3)).toBe('👍👍…');
  });

  it('keeps its lines in a log', () => {
    expect(plainLog(`${ESC}[1mone${ESC}[0m\r\n\ttwo\n`)).toBe('one\n\ttwo\n');
  });

  it('cannot open a link, an icon or a table cell in Markdown', () => {
    expect(escapeMarkdown('[x](command:y) $(zap) a|b <b>')).toBe(String.raw`\[x\]\(command\:y\) \$\(zap\) a\|b \<b\>`);
  });
});

describe('plain English', () => {
  it('fills each place once and leaves what the values bring', () => {
    expect(plainEnglish('{0} of {1}', '{1}', 3)).toBe('{1} of 3');
    expect(plainEnglish('{0} {2}', 'a')).toBe('a {2}');
  });
});
