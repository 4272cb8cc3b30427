import { errorText } from '../../core/base/errorText';
import { formatTimestamp } from '../../core/protocol/workers/timestamp';
import type { WorkContext, WorkItem } from '../builtinType';
import { counted } from '../project/counted';
import { inOrder } from '../project/inOrder';
import { readOptionalText } from '../project/readOptionalText';
import { isCompleted, namedFolders } from '../project/researches';
import { harvestDelta } from './harvestDelta';
import { HARVEST_FILE, HarvestFile } from './harvestFile';
import type { PatternsReport } from './patternsReport';
import { PatternTally } from './patternTally';
import { readCase } from './readCase';
import { recommendationsFor } from './recommendations';

/**
 * Counts what the completed cases of a project say, one case per item, and writes `patterns.json` and
 * `harvest-delta.md` (workers.md §2). Works through the cases by name, so that the same files give the same outputs.
 */
export class Consolidation {
  /** One for each completed case. */
  readonly items: readonly WorkItem[];
  readonly #context: WorkContext;
  readonly #tally = new PatternTally();
  readonly #unread: string[] = [];

  private constructor(context: WorkContext, slugs: readonly string[]) {
    this.#context = context;
    this.items = slugs.map((slug) => ({
      phase: 'scanning researches',
      name: slug,
      run: async () => await this.#scan(slug),
    }));
  }

  /** Finds the completed cases; reads none of them yet. */
  static async plan(context: WorkContext): Promise<Consolidation> {
    const slugs = await namedFolders(context.project, 'researches');
    const completed = await inOrder(slugs, async (slug) => await isCompleted(context.project, slug));
    return new Consolidation(
      context,
      slugs.filter((_slug, index) => completed[index] === true),
    );
  }

  /** Writes both outputs; `more` ends their recommendations. Gives the closing line of the log. */
  async write(more: readonly string[] = []): Promise<string> {
    const harvest = await this.#harvest();
    const report = this.#report(harvest, more);
    await this.#context.outputs.write('patterns.json', `${JSON.stringify(report, null, 2)}\n`);
    await this.#context.outputs.write('harvest-delta.md', harvestDelta(report, harvest));
    const { patterns, anti_patterns: antiPatterns } = report;
    const found = `${counted(patterns.length, 'pattern')} and ${counted(antiPatterns.length, 'anti-pattern')}`;
    return `${found} in ${counted(report.cases_analyzed, 'case')}; see output/harvest-delta.md`;
  }

  async #scan(slug: string): Promise<string> {
    try {
      const { findings, files, unread } = await readCase(this.#context.project, slug);
      this.#tally.add(slug, findings);
      this.#unread.push(...unread);
      return `${counted(findings.mentions.length, 'mention')} in ${counted(files, 'file')}`;
    } catch (error) {
      // One case that cannot be looked into keeps none of the others from being counted.
      this.#unread.push(`Not read: case ${slug}, ${errorText(error)}.`);
      return `not read: ${errorText(error)}`;
    }
  }

  async #harvest(): Promise<HarvestFile> {
    try {
      return new HarvestFile((await readOptionalText(this.#context.project, HARVEST_FILE)) ?? '');
    } catch (error) {
      // The delta is still good without it; only what the file holds already cannot be left out.
      this.#unread.push(`Not read: ${errorText(error)}.`);
      return new HarvestFile('');
    }
  }

  #report(harvest: HarvestFile, more: readonly string[]): PatternsReport {
    const patterns = this.#tally.patterns();
    const antiPatterns = this.#tally.antiPatterns();
    const outcome = {
      cases: this.#tally.cases,
      patterns: patterns.reported,
      antiPatterns: antiPatterns.reported,
      leftOut: patterns.leftOut + antiPatterns.leftOut,
      forgot: this.#tally.forgot,
      unread: this.#unread,
    };
    return {
      generated_at: formatTimestamp(this.#context.clock.now()),
      worker_id: this.#context.workerId,
      cases_analyzed: outcome.cases,
      patterns: outcome.patterns,
      anti_patterns: outcome.antiPatterns,
      recommendations: [...recommendationsFor(outcome, harvest), ...more],
    };
  }
}
