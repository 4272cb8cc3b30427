import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipped, inlineText } from './inlineText';

describe('a line of Markdown as plain text', () => {
  it.each([
    ['**Bold** and _slanted_ `code`', 'Bold and slanted code'],
    ['a [link](https://x.example/y) and ![picture](z.png)', 'a link and picture'],
    ['snake_case stays, <br/>tags go', 'snake_case stays, tags go'],
    ['two\u0000 \u001b[31mbad\n lines', 'two 31mbad lines'],
  ])('makes of %j', (markdown, plain) => {
    expect(inlineText(markdown)).toBe(plain);
  });

  it('never breaks the list that it is put into', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(inlineText(text)).not.toMatch(/[\p{Cc}`*<>]|^\s|\s$/u);
      }),
    );
  });

  it('is cut between words, and never longer than allowed', () => {
    expect(clipped('one two three', 9)).toBe('one two…');
    expect(clipped('one two', 7)).toBe('one two');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (text, max) => {
        expect(clipped(text, max).length).toBeLessThanOrEqual(max);
        expect(() => encodeURIComponent(clipped(text, max))).not.toThrow();
      }),
    );
  });
});
