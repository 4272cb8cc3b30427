import type { DomainPattern } from './domainPatterns';
import type { HarvestPatterns } from './harvestPatterns';
import type { PipelineMetrics } from './pipelineMetrics';
import type { ResearchSummary } from './researchSummary';
import type { SkillMetadata } from './skillMetadata';

/** The parts of an export that are collected one by one, in this order. */
export const brainSections = [
  'skills',
  'domain_patterns',
  'research_summaries',
  'harvest_patterns',
  'pipeline_metrics',
] as const;

export type BrainSection = (typeof brainSections)[number];

/** `brain-export-….json`, exactly these keys in this order (workers.md §2). */
export interface BrainExport {
  readonly version: '1.0';
  readonly format: 'keysarium-brain';
  readonly exported_at: string;
  readonly source_project: string;
  readonly worker_id: string;
  readonly skills: readonly SkillMetadata[];
  readonly domain_patterns: readonly DomainPattern[];
  readonly research_summaries: readonly ResearchSummary[];
  readonly harvest_patterns: HarvestPatterns;
  readonly pipeline_metrics: PipelineMetrics;
  readonly metadata: {
    readonly generator: 'background-worker-export-brain';
    /** As `.keysarium.json` says, or `unknown`. */
    readonly keysarium_version: string;
    /** Only in an export that lacks something. */
    readonly incomplete?: true;
    readonly missing_sections?: readonly BrainSection[];
  };
}
