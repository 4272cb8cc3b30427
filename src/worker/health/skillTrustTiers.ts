import { counted } from '../project/counted';
import { inOrder } from '../project/inOrder';
import type { ProjectReader } from '../project/projectReader';
import { whyUnread } from '../project/readJson';
import { findTrustTier, tierOf } from '../project/trustTier';
import { type Check, type CheckOutcome, conclude, type Finding } from './check';

/** Every skill states one valid trust tier (0 to 3), and states the same one wherever it states it twice. */
export const skillTrustTiers: Check = {
  name: 'skill-trust-tiers',
  async run({ project }): Promise<CheckOutcome> {
    const entries = (await project.list('.claude/skills')) ?? [];
    const names = entries
      .filter(({ kind, name }) => kind === 'folder' && !name.startsWith('.'))
      .map(({ name }) => name);
    const judged = await inOrder(names, async (name) => await judgeSkill(project, name));
    const findings = judged.flatMap((skill) => (typeof skill === 'number' ? [] : [skill]));
    const tiers = judged.filter((skill) => typeof skill === 'number');
    if (names.length === 0) {
      return conclude('no skills in .claude/skills, so there is no trust tier to check', []);
    }
    const summary = `${counted(names.length, 'skill')} with a valid trust tier`;
    return conclude(summary, findings, distribution(tiers));
  },
};

/** The tier of a skill, or what is wrong with it. */
async function judgeSkill(project: ProjectReader, name: string): Promise<number | Finding> {
  const text = await project.readText(`.claude/skills/${name}/SKILL.md`);
  if (text.kind === 'absent') {
    return finding('warn', `${name} has no SKILL.md`, 'Add a SKILL.md to each skill folder, or remove the folder.');
  }
  if (text.kind !== 'ok') {
    return finding('warn', `SKILL.md of ${name} ${whyUnread(text)}`, 'Make every SKILL.md a readable text file.');
  }
  return judgeText(name, text.text);
}

function judgeText(name: string, text: string): number | Finding {
  const { frontMatter, comment } = findTrustTier(text);
  const words = [frontMatter, comment].filter((word) => word !== null);
  const tiers = words.map(tierOf);
  const [tier] = tiers;
  if (tier === undefined) {
    const advice = 'Add `trust_tier: 0` to 3 to the front matter of each SKILL.md.';
    return finding('warn', `${name} states no trust tier`, advice);
  }
  const stated = words.join(' and ');
  if (tier === null || tiers.includes(null)) {
    return finding('fail', `${name} states the trust tier ${stated}, not 0 to 3`, 'Correct the trust tiers.');
  }
  if (tiers.some((other) => other !== tier)) {
    const advice = 'Let front matter and comment of a skill state the same trust tier.';
    return finding('fail', `${name} states two trust tiers, ${stated}`, advice);
  }
  return tier;
}

function finding(level: Finding['level'], text: string, advice: string): Finding {
  return { level, text, advice };
}

function distribution(tiers: readonly number[]): readonly string[] {
  return [0, 1, 2, 3].flatMap((tier) => {
    const count = tiers.filter((other) => other === tier).length;
    return count === 0 ? [] : [`tier ${tier}: ${counted(count, 'skill')}`];
  });
}
