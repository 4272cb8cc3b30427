import type { FeatureSnapshot } from '../../protocol/features/featureSnapshot';

/**
 * The level that a feature is at and the last one, `2/3`: the state's, else the first that is not done. `?` stands for
 * what nothing readable says; a state may be at a level of which no task tells.
 */
export function levelReached({ currentLevel, levels, phase }: FeatureSnapshot): string {
  const last = Math.max(levels.length, ...levels.map(({ level }) => level));
  if (phase === 'unreadable') {
    return `?/${last}`;
  }
  const open = levels.find(({ status }) => status !== 'complete' && status !== 'complete_with_failures');
  const reached = currentLevel ?? open?.level ?? levels.at(-1)?.level ?? 0;
  return `${reached}/${reached > last ? '?' : last}`;
}
