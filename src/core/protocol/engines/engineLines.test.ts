import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readClaudeLine } from './claudeStream';
import { EngineLines } from './engineLines';

const encoder = new TextEncoder();

function cut(bytes: Uint8Array, sizes: readonly number[], lines = new EngineLines()): (string | null)[] {
  const found: (string | null)[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    found.push(...lines.push(bytes.subarray(at, at + size)));
    at += size;
  }
  const last = lines.end();
  return last === null ? found : [...found, last];
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

describe('lines of an engine', () => {
  it('come out as they went in, however the pieces fall, as long as their texts are short', () => {
    const line = fc
      .oneof(fc.json(), fc.string({ unit: 'grapheme', maxLength: 60 }))
      .map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(fc.array(line), sizes, (all, pieces) => {
        const whole = all.map((text) => `${text}\n`).join('');
        expect(cut(encoder.encode(whole), pieces)).toEqual(all);
      }),
    );
  });

  it('stay JSON with the same shape when their texts are cut, wherever that falls', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'ü', '😀', '"', '\\', '\n', '\u0001', '…', '\uD800'),
      maxLength: 40,
    });
    const value = fc.record({
      type: text,
      list: fc.array(text, { maxLength: 4 }),
      inner: fc.record({ text, number: fc.integer() }),
    });
    fc.assert(
      fc.property(value, sizes, fc.integer({ min: 6, max: 16 }), (given, pieces, stringBytes) => {
        const lines = new EngineLines({ stringBytes, lineBytes: 10_000 });
        const [line] = cut(encoder.encode(`${JSON.stringify(given)}\n`), pieces, lines);
        const read = JSON.parse(line ?? '') as typeof given;
        expect(read.inner.number).toBe(given.inner.number);
        expect(read.list).toHaveLength(given.list.length);
        const kept = read.inner.text.replace(/…$/, '');
        expect(given.inner.text.startsWith(kept) || given.inner.text === read.inner.text).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('do not change when the memory of a piece is used again', () => {
    const lines = new EngineLines();
    const memory = Buffer.from('"first');
    lines.push(memory);
    memory.write('" last\n', 0);
    expect(lines.push(memory.subarray(0, 1))).toEqual([]);
    memory.write('\n', 0);
    expect(lines.push(memory.subarray(0, 1))).toEqual(['"first"']);
  });

  it('never cut what a person is asked, because all of it goes back with the answer', () => {
    const input = { file_path: 'a', content: 'ü"\\'.repeat(40), edits: ['x'.repeat(90)] };
    const request = { type: 'control_request', request_id: '1', request: { subtype: 'can_use_tool', input } };
    const other = { type: 'assistant', text: '{"type":"control_request"}', more: 'x'.repeat(90) };
    fc.assert(
      fc.property(sizes, (pieces) => {
        const lines = new EngineLines({ stringBytes: 20 });
        const whole = [request, other].map((line) => `${JSON.stringify(line)}\n`).join('');
        const [first, second] = cut(encoder.encode(whole), pieces, lines);
        expect(JSON.parse(first ?? '')).toEqual(request);
        expect(JSON.parse(second ?? '')).toMatchObject({ more: `${'x'.repeat(20)}…` });
      }),
    );
  });

  it('keep the end of a run although 50 MB stand in its line, in memory that does not grow with it', () => {
    const lines = new EngineLines();
    const piece = encoder.encode('x\\"'.repeat(40_000));
    const found = [...lines.push(encoder.encode('{"type":"result","is_error":false,"result":"'))];
    const before = process.memoryUsage().arrayBuffers;
    for (let sent = 0; sent < 50_000_000; sent += piece.length) {
      found.push(...lines.push(piece));
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000);
    found.push(...lines.push(encoder.encode('","terminal_reason":"completed"}\n')));
    expect(found).toHaveLength(1);
    expect(found[0]?.length).toBeLessThan(5_000);
    expect(readClaudeLine(found[0] ?? '')).toEqual([{ kind: 'done' }]);
  });

  it('are told as too long when it is not their texts that are, and the next one is whole again', () => {
    const lines = new EngineLines({ stringBytes: 10, lineBytes: 100 });
    expect(cut(encoder.encode(`[${'1,'.repeat(200)}1]\n{"a":1}\n`), [7], lines)).toEqual([null, '{"a":1}']);
  });

  it('say how many bytes of an unfinished one were taken, so that another can begin before it', () => {
    const lines = new EngineLines();
    lines.push(encoder.encode('{"a":1}\n{"b"'));
    expect(lines.openBytes).toBe(4);
    lines.push(encoder.encode(':2'));
    expect(lines.openBytes).toBe(6);
    lines.push(encoder.encode('}\n'));
    expect(lines.openBytes).toBe(0);
  });
});
