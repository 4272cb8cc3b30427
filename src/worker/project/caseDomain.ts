import { readFrontMatter } from './frontMatter';
import { clipped, inlineText } from './inlineText';
import { labelledValues } from './labelledValues';
import { readMarkdown } from './readMarkdown';

const DOMAIN_LABELS: ReadonlySet<string> = new Set(['domain', 'industry', 'домен', 'отрасль']);
const MAX_LENGTH = 60;

/** Whether a label such as `Domain` introduces the domain of a case. `label` is lower-case. */
export function isDomainLabel(label: string): boolean {
  return DOMAIN_LABELS.has(label);
}

/** The domain that a text of a case states: in its front matter, as `Domain: …` in a line, or in a table row. */
export function statedDomain(text: string): string | null {
  const inFrontMatter = inlineText(readFrontMatter(text).get('domain') ?? '');
  if (inFrontMatter !== '') {
    return clipped(inFrontMatter, MAX_LENGTH);
  }
  for (const block of readMarkdown(text)) {
    const found = block.kind === 'row' ? domainInRow(block.cells) : domainInLine(block.text);
    if (found !== null) {
      return clipped(found, MAX_LENGTH);
    }
  }
  return null;
}

function domainInLine(line: string): string | null {
  const found = labelledValues(inlineText(line)).find(({ label }) => isDomainLabel(label));
  return found?.value ?? null;
}

function domainInRow([first = '', second = '']: readonly string[]): string | null {
  const value = inlineText(second);
  return isDomainLabel(inlineText(first).toLowerCase()) && value !== '' ? value : null;
}
