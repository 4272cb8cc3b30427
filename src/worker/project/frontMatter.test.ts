import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontMatter, withoutFrontMatter } from './frontMatter';

describe('front matter', () => {
  it.each([
    ['a plain value', 'name: x y', 'x y'],
    ['a quoted value with a hash', 'name: "C # one" # a remark', 'C # one'],
    ['a value with a remark', "name: x # 'y'", 'x'],
    ['a folded value', 'name: >-\n  one\n  two', 'one two'],
    ['a value that goes on', 'name: one\n  two', 'one two'],
    ['a list in brackets', 'name: [a, "b c"]', 'a, b c'],
    ['a list of lines', 'name:\n- a\n- "b"', 'a, b'],
    ['an upper-case key', 'NAME: x', 'x'],
  ])('gives %s as one line', (_what, block, value) => {
    expect(readFrontMatter(`---\n${block}\nother: z\n---\n`).get('name')).toBe(value);
  });

  it('is only what stands at the head of a file, between two lines of three dashes', () => {
    expect(readFrontMatter('# X\n---\nname: x\n---\n').size).toBe(0);
    expect(readFrontMatter('---\nname: x\n').size).toBe(0);
    expect(withoutFrontMatter('---\r\nname: x\r\n---\r\nrest')).toBe('rest');
    expect(withoutFrontMatter('no front matter')).toBe('no front matter');
  });

  it('of any text gives values of one line', () => {
    const line = fc.constantFrom('---', 'a: b', '- c', '  d', 'e: |', 'f: [', 'g: "', '\r', '');
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.array(line)), (text) => {
        const block = typeof text === 'string' ? text : text.join('\n');
        const values = [...readFrontMatter(`---\n${block}\n---\n`).values()];
        expect(values.every((value) => !value.includes('\n'))).toBe(true);
      }),
    );
  });
});
