import type { FeatureSnapshot } from '../../protocol/features/featureSnapshot';

/** The level that a feature is at: the state's, else the first that is not done; `?` where nothing readable says it. */
export function levelReached({ currentLevel, levels, phase }: FeatureSnapshot): string {
  if (phase === 'unreadable') {
    return '?';
  }
  const open = levels.find(({ status }) => status !== 'complete' && status !== 'complete_with_failures');
  return String(currentLevel ?? open?.level ?? levels.at(-1)?.level ?? 0);
}
