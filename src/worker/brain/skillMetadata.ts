import { readFrontMatter } from '../project/frontMatter';
import { clipped, inlineText } from '../project/inlineText';
import type { ProjectReader } from '../project/projectReader';
import { readMarkdown } from '../project/readMarkdown';
import { readOptionalText } from '../project/readOptionalText';
import { findTrustTier, tierOf } from '../project/trustTier';

/** A skill as an export has it (workers.md §2). */
export interface SkillMetadata {
  readonly name: string;
  readonly description: string;
  /** Null where the skill states none, or none from 0 to 3. */
  readonly trust_tier: number | null;
  readonly trust_label: string;
  readonly has_references: boolean;
  readonly has_modules: boolean;
  readonly has_examples: boolean;
}

const MAX_DESCRIPTION = 600;
const MAX_LABEL = 80;
/** What the four tiers are called where the skill does not say it itself. */
const TIER_LABELS = ['Advisory', 'Structured', 'Validated', 'Verified'];

/** What the skill in `.claude/skills/<folder>` says about itself, or null where that folder has no SKILL.md. */
export async function readSkill(project: ProjectReader, folder: string): Promise<SkillMetadata | null> {
  const path = `.claude/skills/${folder}`;
  const text = await readOptionalText(project, `${path}/SKILL.md`);
  if (text === null) {
    return null;
  }
  const has = async (name: string): Promise<boolean> => (await project.stat(`${path}/${name}`))?.kind === 'folder';
  const frontMatter = readFrontMatter(text);
  const described = inlineText(frontMatter.get('description') ?? '');
  const tier = statedTier(text);
  return {
    name: inlineText(frontMatter.get('name') ?? '') || folder,
    description: clipped(described === '' ? firstParagraph(text) : described, MAX_DESCRIPTION),
    trust_tier: tier,
    trust_label: labelOf(text, tier),
    has_references: await has('references'),
    has_modules: await has('modules'),
    has_examples: await has('examples'),
  };
}

function statedTier(text: string): number | null {
  const { frontMatter, comment } = findTrustTier(text);
  const word = frontMatter ?? comment;
  return word === null ? null : tierOf(word);
}

/** What follows the dash in `<!-- Trust Tier: 1 — Structured | … -->`, else the usual name of the tier. */
function labelOf(text: string, tier: number | null): string {
  const comment = /<!--\s*trust tier\s*:([^>]{0,300})-->/i.exec(text)?.[1] ?? '';
  const words = inlineText(/[—–-]\s*([^|]+)/.exec(comment)?.[1] ?? '');
  return words === '' ? (TIER_LABELS[tier ?? -1] ?? 'not stated') : clipped(words, MAX_LABEL);
}

function firstParagraph(text: string): string {
  for (const block of readMarkdown(text)) {
    if (block.kind === 'text') {
      return inlineText(block.text);
    }
  }
  return '';
}
