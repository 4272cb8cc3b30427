import { errorText } from '../../core/base/errorText';
import { parseLooseJson } from '../../core/protocol/workers/looseJson';
import { plainRecord } from '../../core/protocol/workers/plainRecord';
import { formatTimestamp } from '../../core/protocol/workers/timestamp';
import type { WorkContext } from '../builtinType';
import { inlineText } from '../project/inlineText';
import type { ProjectReader } from '../project/projectReader';
import type { BrainExport } from './brainExport';
import type { Collected } from './collected';
import { pipelineMetrics } from './pipelineMetrics';
import type { SectionCollector } from './sectionCollector';

const NAME_TRIES = 60;

/**
 * Writes the export and its copy, both under the same name, and gives the closing line of the log. What is missing is
 * told in the export and in error.log; so is a copy that could not be made, which costs nothing of the export itself.
 */
export async function writeExport(
  context: WorkContext,
  collected: Collected,
  collector: SectionCollector,
): Promise<string> {
  const now = context.clock.now();
  const text = `${JSON.stringify(await documentOf(context, collected, collector, now), null, 2)}\n`;
  const copy = await makeCopy(context, text, now);
  await context.outputs.write(copy.name, text);
  const problems = [...collector.problems, ...(copy.problem === null ? [] : [copy.problem])];
  if (problems.length > 0) {
    await context.outputs.writeErrorLog(`${formatTimestamp(now)} ${context.workerId}\n${problems.join('\n')}\n`);
  }
  const lacking = collector.missing.length === 0 ? '' : `; incomplete: ${collector.missing.join(', ')}`;
  const kept = copy.problem === null ? `copied to .keysarium/exports/${copy.name}` : copy.problem;
  return `output/${copy.name}${lacking}; ${kept}`;
}

/** Takes the first free name from `now` on: a second export within one second must not replace the first. */
async function makeCopy(
  { outputs }: WorkContext,
  text: string,
  now: number,
): Promise<{ readonly name: string; readonly problem: string | null }> {
  try {
    for (let second = 0; second < NAME_TRIES; second += 1) {
      const name = exportName(now + second * 1000);
      if (await outputs.createExport(name, text)) {
        return { name, problem: null };
      }
    }
    return {
      name: exportName(now),
      problem: 'no copy: the names of the next minute are all taken in .keysarium/exports',
    };
  } catch (error) {
    return { name: exportName(now), problem: `no copy in .keysarium/exports: ${errorText(error)}` };
  }
}

/** `brain-export-20260301-143022.json` for an instant, in UTC. */
export function exportName(ms: number): string {
  const digits = formatTimestamp(ms).replace(/\D/g, '');
  return `brain-export-${digits.slice(0, 8)}-${digits.slice(8)}.json`;
}

async function documentOf(
  { project, projectName, workerId }: WorkContext,
  { skills, domains, researches, features, harvest }: Collected,
  { missing }: SectionCollector,
  now: number,
): Promise<BrainExport> {
  return {
    version: '1.0',
    format: 'keysarium-brain',
    exported_at: formatTimestamp(now),
    source_project: (await textIn(project, 'package.json', 'name')) ?? projectName,
    worker_id: workerId,
    skills,
    domain_patterns: domains,
    research_summaries: researches,
    harvest_patterns: harvest,
    pipeline_metrics: pipelineMetrics(researches, features, skills),
    metadata: {
      generator: 'background-worker-export-brain',
      keysarium_version: (await textIn(project, '.keysarium.json', 'version')) ?? 'unknown',
      ...(missing.length === 0 ? {} : { incomplete: true, missing_sections: missing }),
    },
  };
}

/** A text value of a JSON file; a file that is absent or broken has none, which loses no section of the export. */
async function textIn(project: ProjectReader, file: string, key: string): Promise<string | null> {
  const text = await project.readText(file);
  const parsed = text.kind === 'ok' ? parseLooseJson(text.text) : null;
  const value = parsed?.ok === true ? plainRecord(parsed.value)?.[key] : null;
  return typeof value === 'string' && value.trim() !== '' ? inlineText(value) : null;
}
