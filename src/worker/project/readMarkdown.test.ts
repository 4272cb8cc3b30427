import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMarkdown } from './readMarkdown';

function read(text: string): readonly unknown[] {
  return [...readMarkdown(text)];
}

describe('reading Markdown', () => {
  it('tells headings, entries, table rows and paragraphs apart and takes their marks off', () => {
    const text = '# One ##\n\n- a\n  goes on\n  1. b\n\n| H | I |\n|---|:-:|\n| x | y |\n\nfirst\nsecond\n\nthird';
    expect(read(text)).toEqual([
      { kind: 'heading', level: 1, text: 'One' },
      { kind: 'item', depth: 0, text: 'a goes on' },
      { kind: 'item', depth: 2, text: 'b' },
      { kind: 'row', cells: ['x', 'y'], head: ['H', 'I'] },
      { kind: 'text', text: 'first', opens: true },
      { kind: 'text', text: 'second', opens: false },
      { kind: 'text', text: 'third', opens: true },
    ]);
  });

  it('passes over front matter, fences and comments', () => {
    const text = '\uFEFF---\nname: x\n---\n```md\n# no\n```\n<!-- no -->\n<!--\n# no\n-->\n~~~\n```\nno\n~~~\nyes';
    expect(read(text)).toEqual([{ kind: 'text', text: 'yes', opens: true }]);
  });

  it('reads Windows line ends like any other', () => {
    expect(read('# A\r\n\r\n- b\r\n')).toEqual(read('# A\n\n- b\n'));
  });

  it('cuts a line that is data, not prose', () => {
    const [block] = read('x'.repeat(1_000_000)) as [{ text: string }];
    expect(block.text).toHaveLength(2000);
  });

  it('takes any text, and no block spans a line', () => {
    const piece = fc.constantFrom(
      '#',
      '- ',
      '|',
      '|-|',
      '```',
      '<!--',
      '-->',
      '---',
      '\n',
      '\r\n',
      '\t',
      ' ',
      '*',
      'a',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (any) => {
        expect(read(any).every((block) => !JSON.stringify(block).includes('\\n'))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
