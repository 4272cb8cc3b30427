import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretLines } from '../core/system/redact';
import { MAX_LINE_PIECE, readableText, takeReadable } from './readableText';

/** Reads `raw` as a keeper does whose looks come at these places, and gives the whole text. */
function readInPieces(raw: Buffer, looks: readonly number[], secrets: readonly string[] = []): string {
  let offset = 0;
  let text = '';
  for (const end of [...looks, raw.length]) {
    for (let piece = takeReadable(raw.subarray(offset, end), secrets, false); piece.bytes > 0; ) {
      offset += piece.bytes;
      text += piece.text;
      piece = takeReadable(raw.subarray(offset, end), secrets, false);
    }
  }
  return text + takeReadable(raw.subarray(offset), secrets, true).text;
}

const fragment = fc.oneof(
  fc.constantFrom('\r', '\n', '\r\n', '\u001b[31m', '\u001b', '\u001b]0;t\u0007', 'ü', '🚂', 'geheimnis', 'plain text'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const output = fc.oneof(
  fc.array(fragment, { maxLength: 60 }).map((parts) => Buffer.from(parts.join(''))),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

describe('takeReadable', () => {
  it('reads the same text, wherever the looks cut the output', () => {
    fc.assert(
      fc.property(output, fc.array(fc.nat(600)), (raw, cuts) => {
        const looks = cuts.map((cut) => Math.min(cut, raw.length)).sort((a, b) => a - b);
        expect(readInPieces(raw, looks, ['geheimnis'])).toBe(readInPieces(raw, [], ['geheimnis']));
      }),
    );
  });

  it('gives only text that is safe to show, for any bytes', () => {
    fc.assert(
      fc.property(output, (raw) => {
        expect(readInPieces(raw, [])).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
        );
      }),
    );
  });

  it('waits for the end of a line, except at the end of everything', () => {
    const raw = Buffer.from('one\ntwo');
    expect(takeReadable(raw, [], false)).toEqual({ bytes: 4, text: 'one\n' });
    expect(takeReadable(raw.subarray(4), [], false)).toEqual({ bytes: 0, text: '' });
    expect(takeReadable(raw.subarray(4), [], true)).toEqual({ bytes: 3, text: 'two' });
  });

  it('cuts an endless line into pieces, never inside a character or a secret', () => {
    const secret = 'geheimnis-geheimnis';
    const raw = Buffer.from(`${'ü'.repeat(MAX_LINE_PIECE / 2 - 4)}${secret}${'🚂'.repeat(9000)}`);
    const first = takeReadable(raw, [secret], false);
    expect(first.bytes).toBeLessThanOrEqual(MAX_LINE_PIECE);
    const text = readInPieces(raw, [20_000, 40_000], [secret]);
    expect(text).not.toContain('\ufffd');
    expect(text).not.toMatch(/geheim|heimnis/);
    expect(text).toContain('***');
  });

  it('turns the returns of a progress bar into lines', () => {
    expect(readableText('10%\r20%\r\n30%\n', [])).toBe('10%\n20%\n30%\n');
  });

  it('hides each line of a secret with several', () => {
    const lines = secretLines(['-----BEGIN KEY-----\nabcdef\n\n-----END KEY-----\n']);
    expect(readableText('abcdef\n', lines)).toBe('***\n');
  });
});
