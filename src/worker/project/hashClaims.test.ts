import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHashClaims, provesUnchanged } from './hashClaims';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const sha256 = (...parts: readonly (string | Uint8Array)[]): string =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

describe('hash claims', () => {
  it('are found in a chain of records, with their links', () => {
    const chain = [
      { sequence: 0, artifact: '00.md', hash: `sha256:${A}`, previous_hash: `sha256:${'0'.repeat(64)}` },
      { sequence: 1, artifact: '02.md', hash: `sha256:${B.toUpperCase()}`, previous_hash: `sha256:${A}` },
    ];
    const repairs = [{ sequence: 1, artifact: '02.md', reason: 'asked for' }];
    expect(findHashClaims({ project_slug: 'x', chain, chain_repairs: repairs })).toEqual([
      { file: '00.md', hash: A, previous: '0'.repeat(64) },
      { file: '02.md', hash: B, previous: A },
    ]);
  });

  it('are found in a plain map and in other wordings', () => {
    expect(findHashClaims({ files: { 'a.md': A, 'b.md': 'not a hash' } })).toEqual([
      { file: 'a.md', hash: A, previous: null },
    ]);
    expect(findHashClaims([{ path: 'a.md', sha256: A }])).toEqual([{ file: 'a.md', hash: A, previous: null }]);
  });

  it('are absent from everything else, whatever it looks like', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(findHashClaims(value)).toEqual([]);
      }),
    );
  });

  it('hold for unchanged bytes in each of the three ways to hash, and for no changed byte', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(bytes, fc.nat(), fc.constantFrom('chained', 'by shell', 'alone'), (content, at, way) => {
        const body = Buffer.from(content);
        const stripped = Buffer.from(body.toString('latin1').replace(/\n+$/, ''), 'latin1');
        const hashes = { chained: sha256(body, A), 'by shell': sha256(stripped, A), alone: sha256(body) };
        const claim = { file: 'x', hash: hashes[way], previous: A };
        expect(provesUnchanged(claim, body)).toBe(true);
        const changed = Buffer.from(body);
        const index = at % changed.length;
        changed[index] = changed[index] === 0x41 ? 0x42 : 0x41;
        expect(provesUnchanged(claim, changed)).toBe(false);
      }),
    );
  });
});
