import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { existingAgentLine } from './existingAgentLine';
import type { Message } from './message';
import { newMessageId } from './messageId';
import { padLine } from './padLine';

const bare: Message = { id: 'm-1', type: 'Query', from: 'pm', to: 'qa', timestamp: 't', payload: {} };
const withPayload = (payload: unknown): Message => ({ ...bare, payload: payload as Message['payload'] });
const textOf = (line: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(line);

/** `levels` objects, one inside the other. */
function nested(levels: number): object {
  return levels <= 1 ? {} : { a: nested(levels - 1) };
}

describe('a line to an existing agent', () => {
  it('is one write of whole kibibytes with its newline at the very end, and says what the message says', () => {
    const text = fc.string({ unit: 'binary', maxLength: 6_000 });
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{3,8}$/), text, { maxKeys: 5 }), (payload) => {
        const line = existingAgentLine(withPayload(payload));
        if (line.ok) {
          expect(line.value.length % 1024).toBe(0);
          expect(line.value.length).toBeLessThanOrEqual(65_536);
          expect(line.value.indexOf(10)).toBe(line.value.length - 1);
          expect(JSON.parse(textOf(line.value))).toEqual({
            ...bare,
            payload: JSON.parse(JSON.stringify(payload)) as unknown,
          });
        }
      }),
    );
  });

  it('is a block longer where text and newline do not fit into the last one', () => {
    expect(padLine(`"${'x'.repeat(1021)}"`)?.length).toBe(1024);
    expect(padLine(`"${'x'.repeat(1022)}"`)?.length).toBe(2048);
    expect(padLine(`"${'x'.repeat(65_533)}"`)?.length).toBe(65_536);
    expect(padLine(`"${'x'.repeat(65_534)}"`)).toBeNull();
  });

  it('is ASCII while there is room for that, and never has a mark in front', () => {
    expect(textOf(padLine('"ü\uFEFF"') ?? new Uint8Array())).toMatch(/^"\\u00fc\\ufeff" +\n$/);
    const long = `"${'漢'.repeat(20_000)}"`;
    expect(textOf(padLine(long) ?? new Uint8Array()).trimEnd()).toBe(long);
  });

  const unfit = {
    'an empty key': { a: { '': 1 } },
    'keys that differ only in case': [{ Task: 1, task: 2 }],
    'keys that differ only in the case of other letters': { ß: 1, ẞ: 2 },
    'a key of PowerShell': { deep: { PSObject: 1 } },
    'another key of PowerShell': { psTypeNames: [] },
    'too many levels': nested(64),
    'more than 64 KiB': { text: 'x'.repeat(65_536) },
  };
  it.each(Object.entries(unfit))('is refused for %s, in words for its sender', (_what, payload) => {
    expect(existingAgentLine(withPayload(payload))).toEqual({
      ok: false,
      error: expect.stringMatching(/^The recipient .*\.$/),
    });
  });

  it('is refused without a type, and goes out with 64 levels', () => {
    expect(existingAgentLine({ ...bare, type: ' ' }).ok).toBe(false);
    expect(existingAgentLine(withPayload(nested(63))).ok).toBe(true);
    expect(existingAgentLine(withPayload(JSON.parse('{"same":[{"same":1},{"same":2}]}'))).ok).toBe(true);
  });

  it('is judged without overflowing the stack, however deep it is', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    expect(existingAgentLine(withPayload({ deep })).ok).toBe(false);
  });
});

describe('an id of ours', () => {
  it('tells when it was made, in UTC, and is no date for PowerShell', () => {
    const id = newMessageId(Date.UTC(2026, 0, 5, 4, 3, 2, 999), (bytes) => 'f'.repeat(bytes * 2));
    expect(id).toBe('msg-20260105-040302-ffffffffffffffff');
    expect(Date.parse(id)).toBeNaN();
  });
});
