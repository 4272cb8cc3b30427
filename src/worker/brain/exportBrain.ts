import type { Work, WorkContext, WorkItem } from '../builtinType';
import { inOrder } from '../project/inOrder';
import type { ProjectReader } from '../project/projectReader';
import { readOptionalText } from '../project/readOptionalText';
import { namedFolders } from '../project/researches';
import type { Collected } from './collected';
import { type DomainPattern, domainPatternsIn } from './domainPatterns';
import { harvestPatternsIn } from './harvestPatterns';
import { isFeatureComplete } from './pipelineMetrics';
import { readSummary, type ResearchSummary } from './researchSummary';
import { SectionCollector, type SectionPlan } from './sectionCollector';
import { readSkill, type SkillMetadata } from './skillMetadata';
import { writeExport } from './writeExport';

const RULES = '.claude/rules';
const HARVEST = 'TOOLKIT_HARVEST.md';

/**
 * The worker type `export-brain`: five phases with an item for each skill, rule file, case and feature, then
 * `output/brain-export-….json` and its copy in `.keysarium/exports/`.
 */
export async function exportBrain(context: WorkContext): Promise<Work> {
  const collector = new SectionCollector();
  const collected: Collected = {
    skills: [],
    domains: [],
    researches: [],
    features: [],
    harvest: harvestPatternsIn(''),
  };
  const planned = await inOrder(plansFor(context.project, collected), async (plan) => await collector.itemsOf(plan));
  const items: readonly WorkItem[] = planned.flat();
  return {
    items,
    finishPhase: 'pipeline metrics',
    finish: async () => await writeExport(context, collected, collector),
  };
}

function plansFor(project: ProjectReader, collected: Collected): readonly SectionPlan[] {
  return [
    skillPlan(project, collected.skills),
    domainPlan(project, collected.domains),
    researchPlan(project, collected.researches),
    harvestPlan(project, collected),
    metricsPlan(project, collected.features),
  ];
}

function skillPlan(project: ProjectReader, skills: SkillMetadata[]): SectionPlan {
  return {
    section: 'skills',
    phase: 'skill metadata',
    names: async () => await namedFolders(project, '.claude/skills'),
    async collect(name) {
      const skill = await readSkill(project, name);
      skills.push(...(skill === null ? [] : [skill]));
      return skill === null ? 'no SKILL.md' : `tier ${skill.trust_tier ?? 'not stated'}`;
    },
  };
}

function domainPlan(project: ProjectReader, domains: DomainPattern[]): SectionPlan {
  return {
    section: 'domain_patterns',
    phase: 'domain patterns',
    async names() {
      const entries = (await project.list(RULES)) ?? [];
      return entries.filter(({ name, kind }) => kind === 'file' && /domain.*\.md$/i.test(name)).map(({ name }) => name);
    },
    async collect(name) {
      const found = domainPatternsIn((await readOptionalText(project, `${RULES}/${name}`)) ?? '');
      domains.push(...found);
      return found.map(({ domain }) => domain).join(', ');
    },
  };
}

function researchPlan(project: ProjectReader, researches: ResearchSummary[]): SectionPlan {
  return {
    section: 'research_summaries',
    phase: 'research summaries',
    names: async () => await namedFolders(project, 'researches'),
    async collect(slug) {
      const summary = await readSummary(project, slug);
      researches.push(summary);
      return `${summary.status}, ${summary.domain}`;
    },
  };
}

function harvestPlan(project: ProjectReader, collected: Collected): SectionPlan {
  return {
    section: 'harvest_patterns',
    phase: 'harvest patterns',
    names: async () => Promise.resolve([HARVEST]),
    async collect() {
      const text = await readOptionalText(project, HARVEST);
      collected.harvest = harvestPatternsIn(text ?? '');
      return text === null ? 'not there' : `${collected.harvest.patterns_count} patterns`;
    },
  };
}

function metricsPlan(project: ProjectReader, features: boolean[]): SectionPlan {
  return {
    section: 'pipeline_metrics',
    phase: 'pipeline metrics',
    names: async () => await namedFolders(project, 'features'),
    async collect(name) {
      const isComplete = await isFeatureComplete(project, name);
      features.push(isComplete);
      return isComplete ? 'completed' : 'in progress';
    },
  };
}
