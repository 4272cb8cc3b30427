import type { ProjectReader } from '../project/projectReader';
import type { ResearchSummary } from './researchSummary';
import type { SkillMetadata } from './skillMetadata';

/** The numbers of an export (workers.md §2). */
export interface PipelineMetrics {
  readonly total_researches: number;
  readonly completed_researches: number;
  readonly total_features: number;
  readonly completed_features: number;
  /** Skills that state no tier are in none of the four. */
  readonly skill_tiers: {
    readonly tier_0: number;
    readonly tier_1: number;
    readonly tier_2: number;
    readonly tier_3: number;
  };
  /** Cases by domain, completed or not, in the order of the domains' names. */
  readonly domain_distribution: Readonly<Record<string, number>>;
}

/** Counts what was collected. `features` says of each feature whether it is complete. */
export function pipelineMetrics(
  researches: readonly ResearchSummary[],
  features: readonly boolean[],
  skills: readonly SkillMetadata[],
): PipelineMetrics {
  const tier = (wanted: number): number => skills.filter(({ trust_tier: stated }) => stated === wanted).length;
  return {
    total_researches: researches.length,
    completed_researches: researches.filter(({ status }) => status === 'completed').length,
    total_features: features.length,
    completed_features: features.filter((isComplete) => isComplete).length,
    skill_tiers: { tier_0: tier(0), tier_1: tier(1), tier_2: tier(2), tier_3: tier(3) },
    domain_distribution: distribution(researches),
  };
}

function distribution(researches: readonly ResearchSummary[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { domain } of researches) {
    counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether a feature has both files that complete it, with text in them (workers.md §2). */
export async function isFeatureComplete(project: ProjectReader, name: string): Promise<boolean> {
  for (const file of ['08_qe_report.md', 'README.md']) {
    const stat = await project.stat(`features/${name}/${file}`);
    if (stat?.kind !== 'file' || stat.size === 0) {
      return false;
    }
  }
  return true;
}
