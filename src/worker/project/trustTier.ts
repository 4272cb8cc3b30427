import { frontMatterBlock } from './frontMatter';

/** What a SKILL.md says about its trust tier, in either of the two notations (workers.md §2). */
export interface TrustTierWords {
  /** Value of `trust_tier` in the front matter, as written. */
  readonly frontMatter: string | null;
  /** What follows `Trust Tier:` in a comment, up to the first blank. */
  readonly comment: string | null;
}

/** Finds the trust tier words of a skill; judges nothing. */
export function findTrustTier(text: string): TrustTierWords {
  const value = /^[ \t]*trust_tier[ \t]*:[ \t]*["']?([^\s"'#]+)/m.exec(frontMatterBlock(text))?.[1];
  const comment = /<!--\s*trust tier\s*:\s*([^\s—-]+)/i.exec(text)?.[1];
  return { frontMatter: value ?? null, comment: comment ?? null };
}

/** The tier 0 to 3 that a word means, or null. */
export function tierOf(word: string): number | null {
  const number = /^(?:tier[_-]?)?([0-3])$/i.exec(word)?.[1];
  return number === undefined ? null : Number(number);
}
