import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineBuffer, MAX_LINE_BYTES } from './lineBuffer';

it('finds the same lines, wherever the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat(400)), (words, cuts) => {
      const lines = words.map((word) => word.replaceAll('\n', ' '));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const buffer = new LineBuffer();
      const found = places.flatMap((place, index) => buffer.push(bytes.subarray(places[index - 1] ?? 0, place)));
      expect(found).toEqual(lines);
    }),
  );
});

it('gives up a line above 1 MiB before it is complete, and goes on behind it', () => {
  const buffer = new LineBuffer();
  expect(buffer.push(Buffer.alloc(MAX_LINE_BYTES, 'x'))).toEqual([]);
  expect(buffer.push(Buffer.from('x'))).toEqual([null]);
  expect(buffer.push(Buffer.from('more of it'))).toEqual([]);
  expect(buffer.push(Buffer.from('\nnext\n'))).toEqual(['next']);
});
