import { counted } from '../project/counted';
import { inOrder } from '../project/inOrder';
import type { ProjectReader } from '../project/projectReader';
import { readJson, whyUnread } from '../project/readJson';
import { type Check, type CheckOutcome, conclude, type Finding } from './check';

const SETTINGS = ['.claude/settings.json', '.keysarium.json'];
const RULE_REFERENCE = /\.claude\/rules\/[\w./-]*\w\.md\b/g;

/** The project's own instructions are there, readable and complete: CLAUDE.md, the rules, and the rules it names. */
export const governanceIntegrity: Check = {
  name: 'governance-integrity',
  async run({ project }): Promise<CheckOutcome> {
    const rules = await ruleFiles(project);
    const findings = [
      ...(await judgeInstructions(project)),
      ...(await judgeRules(project, rules)),
      ...(await inOrder(SETTINGS, async (file) => await judgeSettings(project, file))).flat(),
    ];
    return conclude(`CLAUDE.md and ${counted(rules.length, 'rule file')} are complete`, findings);
  },
};

async function judgeInstructions(project: ProjectReader): Promise<readonly Finding[]> {
  const text = await project.readText('CLAUDE.md');
  if (text.kind === 'absent') {
    return [{ level: 'warn', text: 'there is no CLAUDE.md', advice: 'Add a CLAUDE.md with the rules of the project.' }];
  }
  const advice = 'Restore CLAUDE.md from version control.';
  if (text.kind !== 'ok') {
    return [{ level: 'fail', text: `CLAUDE.md ${whyUnread(text)}`, advice }];
  }
  if (text.text.trim() === '') {
    return [{ level: 'fail', text: 'CLAUDE.md is empty', advice }];
  }
  return await judgeReferences(project, text.text);
}

async function judgeReferences(project: ProjectReader, text: string): Promise<readonly Finding[]> {
  const named = [...new Set(text.match(RULE_REFERENCE) ?? [])].sort();
  const stats = await inOrder(named, async (path) => await project.stat(path));
  return named
    .filter((_path, index) => stats[index]?.kind !== 'file')
    .map((path) => ({
      level: 'fail',
      text: `CLAUDE.md names ${path}, which does not exist`,
      advice: 'Restore the rule files that CLAUDE.md names, or take their names out.',
    }));
}

async function ruleFiles(project: ProjectReader): Promise<readonly string[]> {
  const entries = (await project.list('.claude/rules')) ?? [];
  return entries
    .filter(({ kind, name }) => kind === 'file' && name.endsWith('.md'))
    .map(({ name }) => `.claude/rules/${name}`);
}

async function judgeRules(project: ProjectReader, rules: readonly string[]): Promise<readonly Finding[]> {
  if (rules.length === 0) {
    return [
      { level: 'warn', text: 'there are no rules in .claude/rules', advice: 'Write the rules of the project down.' },
    ];
  }
  const stats = await inOrder(rules, async (path) => await project.stat(path));
  return rules
    .filter((_path, index) => stats[index]?.size === 0)
    .map((path) => ({ level: 'warn', text: `${path} is empty`, advice: 'Fill the empty rule files, or remove them.' }));
}

async function judgeSettings(project: ProjectReader, file: string): Promise<readonly Finding[]> {
  const reading = await readJson(project, file);
  return reading.kind === 'bad'
    ? [{ level: 'fail', text: `${file} ${reading.reason}`, advice: `Correct ${file}.` }]
    : [];
}
