import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTrustTier, tierOf } from './trustTier';

describe('trust tiers of skills', () => {
  it.each([
    ['front matter', '---\nname: x\ntrust_tier: 2\n---\n# X', '2', null],
    ['front matter with Windows line ends and a byte order mark', '\uFEFF---\r\ntrust_tier: "3"\r\n---\r\n', '3', null],
    ['nested front matter', '---\nmetadata:\n  trust_tier: 1 # checked\n---\n', '1', null],
    ['a comment', '# X\n<!-- Trust Tier: 1 — structure checked -->', null, '1'],
    ['a comment with a plain hyphen', '<!-- trust tier: 0-new -->', null, '0'],
    ['both', '---\ntrust_tier: 1\n---\n<!-- Trust Tier: 2 -->', '1', '2'],
    ['words outside of both', 'trust_tier: 3 is written in the text only', null, null],
  ])('are found in %s', (_what, text, frontMatter, comment) => {
    expect(findTrustTier(text)).toEqual({ frontMatter, comment });
  });

  it('are 0 to 3 and nothing else', () => {
    expect(['0', '3', 'tier_2', 'Tier-1'].map(tierOf)).toEqual([0, 3, 2, 1]);
    expect(['4', '-1', '1.5', 'high', ''].map(tierOf)).toEqual([null, null, null, null, null]);
  });

  it('are looked for in any text without harm', () => {
    const line = fc.constantFrom('---', 'trust_tier: 2', '<!-- Trust Tier:', '-->', 'x', '\r');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(line).map((lines) => lines.join('\n')),
        ),
        (text) => {
          findTrustTier(text);
        },
      ),
    );
  });
});
