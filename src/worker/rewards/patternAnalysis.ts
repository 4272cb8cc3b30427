import { errorText } from '../../core/base/errorText';
import { formatTimestamp } from '../../core/protocol/workers/timestamp';
import type { Work, WorkContext, WorkItem } from '../builtinType';
import { Consolidation } from '../consolidate/consolidation';
import { counted } from '../project/counted';
import { rewardAdvice } from './rewardAdvice';
import { analyzeRewards, type RewardAnalysis } from './rewardAnalysis';
import { memoryFiles, RewardMemory } from './rewardMemory';

/**
 * The worker type `pattern-analysis`: everything that consolidate does, then every file of the memory; its averages and
 * trends go to `output/reward-analysis.json`, and what stands out in them to the recommendations.
 */
export async function patternAnalysis(context: WorkContext): Promise<Work> {
  const consolidation = await Consolidation.plan(context);
  const { files, isCut } = await memoryFiles(context.project);
  const memory = new RewardMemory();
  const unread: string[] = [];
  return {
    items: [...consolidation.items, ...files.map((file) => rewardItem(context, file, memory, unread))],
    finishPhase: 'analyzing patterns',
    async finish() {
      const analysis = analyzeRewards(memory.records);
      await context.outputs.write('reward-analysis.json', documentOf(context, analysis));
      const closing = await consolidation.write(rewardAdvice(analysis, { isCut: isCut || memory.isFull, unread }));
      return `${counted(analysis.records_analyzed, 'reward record')}; ${closing}`;
    },
  };
}

function rewardItem(context: WorkContext, file: string, memory: RewardMemory, unread: string[]): WorkItem {
  return {
    phase: 'reading rewards',
    name: file,
    async run() {
      try {
        return await memory.read(context.project, file);
      } catch (error) {
        // One file that cannot be read keeps none of the others from being counted.
        unread.push(`Not read: ${errorText(error)}.`);
        return `not read: ${errorText(error)}`;
      }
    },
  };
}

function documentOf({ clock, workerId }: WorkContext, analysis: RewardAnalysis): string {
  const document = { generated_at: formatTimestamp(clock.now()), worker_id: workerId, ...analysis };
  return `${JSON.stringify(document, null, 2)}\n`;
}
