import { counted } from '../project/counted';
import { unreadLines } from '../project/unreadLines';
import type { RewardAnalysis, RewardGroup } from './rewardAnalysis';

/** What could not be taken into the analysis. */
export interface RewardGaps {
  /** Whether files or records were too many. */
  readonly isCut: boolean;
  /** One sentence for each file that was not read. */
  readonly unread: readonly string[];
}

type NamedGroup = RewardGroup & { readonly name: string };

/** One sentence for each thing in the rewards that deserves a look: the weakest phase and domain, and what degrades. */
export function rewardAdvice(analysis: RewardAnalysis, { isCut, unread }: RewardGaps): readonly string[] {
  const phases = analysis.phases.map((group) => ({ ...group, name: group.phase }));
  const domains = analysis.domains.map((group) => ({ ...group, name: group.domain }));
  return [
    ...overall(analysis),
    ...weakest('phase', phases),
    ...weakest('domain', domains),
    ...degrading([...phases, ...domains]),
    ...(isCut ? ['The memory is very large: not all of its records were counted.'] : []),
    ...unreadLines(unread),
  ];
}

function overall({ overall: group, cases }: RewardAnalysis): readonly string[] {
  return group.average === null
    ? ['There is no reward record under .keysarium/memory, so there are no averages and no trend.']
    : [
        `The average reward is ${group.average} over ${counted(group.records, 'record')} of ${counted(cases, 'case')}; its trend is ${group.trend}.`,
      ];
}

function weakest(kind: string, groups: readonly NamedGroup[]): readonly string[] {
  const [lowest, ...others] = [...groups].sort((a, b) => (a.average ?? 0) - (b.average ?? 0));
  return lowest === undefined || others.length === 0
    ? []
    : [`The ${kind} with the lowest average reward is ${lowest.name}: ${figures(lowest)}.`];
}

function degrading(groups: readonly NamedGroup[]): readonly string[] {
  return groups
    .filter(({ trend }) => trend === 'degrading')
    .map((group) => `Find out why ${group.name} is degrading: ${figures(group)}.`);
}

function figures({ average, records }: RewardGroup): string {
  return `${average ?? 'none'} over ${counted(records, 'record')}`;
}
