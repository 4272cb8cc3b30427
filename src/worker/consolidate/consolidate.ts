import type { Work, WorkContext } from '../builtinType';
import { Consolidation } from './consolidation';

/** The worker type `consolidate`: every completed case is read, then what they have in common is written down. */
export async function consolidate(context: WorkContext): Promise<Work> {
  const consolidation = await Consolidation.plan(context);
  return {
    items: consolidation.items,
    finishPhase: 'analyzing patterns',
    finish: async () => await consolidation.write(),
  };
}
