import { clipped, inlineText } from '../project/inlineText';
import { readMarkdown } from '../project/readMarkdown';

/** The rules of one domain as an export has them (workers.md §2). */
export interface DomainPattern {
  readonly domain: string;
  readonly rules: readonly string[];
  /** What a `Palette:` entry names, or null. */
  readonly palette: string | null;
}

const MAX_RULE = 300;
const MAX_RULES = 200;
const PALETTE = /^(?:palette|палитра)\s*:\s*(.+)$/i;

interface OpenDomain {
  readonly domain: string;
  readonly rules: string[];
  palette: string | null;
}

/**
 * The domains of a rule file such as `.claude/rules/domain-specific.md`: each second-level heading with list entries
 * below it is a domain, and the entries are its rules. A heading without entries is none.
 */
export function domainPatternsIn(text: string): readonly DomainPattern[] {
  const domains: OpenDomain[] = [];
  let open: OpenDomain | null = null;
  for (const block of readMarkdown(text)) {
    if (block.kind === 'heading' && block.level <= 2) {
      open = block.level === 2 ? { domain: inlineText(block.text), rules: [], palette: null } : null;
      domains.push(...(open === null ? [] : [open]));
    } else if (block.kind === 'item' && open !== null) {
      takeRule(open, inlineText(block.text));
    }
  }
  return domains.filter(({ rules, palette }) => rules.length > 0 || palette !== null);
}

function takeRule(open: OpenDomain, entry: string): void {
  const palette = PALETTE.exec(entry)?.[1];
  if (palette !== undefined) {
    open.palette = clipped(palette, MAX_RULE);
  } else if (entry !== '' && open.rules.length < MAX_RULES) {
    open.rules.push(clipped(entry, MAX_RULE));
  }
}
