import type { DomainPattern } from './domainPatterns';
import type { HarvestPatterns } from './harvestPatterns';
import type { ResearchSummary } from './researchSummary';
import type { SkillMetadata } from './skillMetadata';

/** What the items of an export have collected so far. */
export interface Collected {
  readonly skills: SkillMetadata[];
  readonly domains: DomainPattern[];
  readonly researches: ResearchSummary[];
  /** For each feature whether it is complete. */
  readonly features: boolean[];
  harvest: HarvestPatterns;
}
