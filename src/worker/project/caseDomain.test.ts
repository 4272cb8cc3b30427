import { describe, expect, it } from 'vitest';
import { statedDomain } from './caseDomain';

describe('the domain of a case', () => {
  it.each([
    ['a line of its own', '# X\n\nDomain: last-mile\n', 'last-mile'],
    ['an emphasized label', '- **Domain:** Banking / FinTech', 'Banking / FinTech'],
    ['front matter', '---\ndomain: retail\n---\n# X', 'retail'],
    ['a table', '| Field | Value |\n|---|---|\n| Domain | healthcare |', 'healthcare'],
    ['another language', '**Домен:** банки', 'банки'],
  ])('is found in %s', (_where, text, domain) => {
    expect(statedDomain(text)).toBe(domain);
  });

  it('is not guessed', () => {
    expect(statedDomain('# Domain\n\nThe domain is open. Subdomain: x\n```\nDomain: y\n```')).toBeNull();
  });
});
