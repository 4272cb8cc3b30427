import type { FeaturePhase, FeatureSnapshot } from '../../protocol/features/featureSnapshot';
import { plainLine } from '../plainText';
import { joined } from '../rowWords';
import { type TreeNode, treeNode } from '../treeNode';
import type { Reader } from '../words';
import { levelNode, taskNodes } from './levelNode';
import { levelReached } from './levelReached';
import { phaseIcon } from './runIcons';
import { phaseWord } from './runWords';
import { runWorkerNode } from './runWorkerNode';
import { spokenOnce } from './spokenOnce';
import { featureId, type PlacedFeature } from './taskNode';

/** Phases in which somebody works, or should: their rows stand open and on top. */
const UNDER_WAY: ReadonlySet<FeaturePhase> = new Set(['executing', 'paused', 'orphaned']);

/** Whether a feature is being worked on, or was left in the middle of it. */
export function isUnderWay({ phase }: FeatureSnapshot): boolean {
  return UNDER_WAY.has(phase);
}

/** `7/12 tasks`; `?` where it cannot be read. */
function taskCount({ byStatus, totalTasks }: FeatureSnapshot, { t }: Reader): string {
  return t('{0} tasks', `${byStatus['complete'] ?? 0}/${totalTasks ?? '?'}`);
}

function courseWords(feature: FeatureSnapshot, reader: Reader): string {
  const { t } = reader;
  const { phase, percent, levels } = feature;
  const share = `${percent ?? '?'}%`;
  const level = levels.length === 0 ? null : t('level {0}', levelReached(feature));
  return joined(phase === 'executing' ? share : `${share} ${phaseWord(phase, t)}`, level, taskCount(feature, reader));
}

/** What stands behind a feature's name, number first: `58% · level 2/3 · 7/12 tasks`. */
export function featureDescription(feature: FeatureSnapshot, reader: Reader): string {
  const { t } = reader;
  const { phase, byStatus, totalTasks } = feature;
  switch (phase) {
    case 'unreadable':
      return phaseWord(phase, t);
    case 'designed':
      return joined(phaseWord(phase, t), totalTasks === null ? null : t('{0} tasks', totalTasks));
    case 'complete':
      return joined(taskCount(feature, reader), phaseWord(phase, t));
    case 'complete_with_failures':
      return joined(taskCount(feature, reader), t('{0} failed', byStatus['failed'] ?? 0));
    case 'paused':
    case 'orphaned':
    case 'executing':
      return courseWords(feature, reader);
  }
}

function looseTasks(placed: PlacedFeature, reader: Reader): readonly TreeNode[] {
  const { tasks } = placed.feature;
  const loose = tasks.filter(({ level }) => level === null);
  return taskNodes({ ...placed, under: featureId(placed) }, loose, reader);
}

/** A feature's row with its levels, their tasks, and its workers. */
export function featureNode(placed: PlacedFeature, reader: Reader): TreeNode {
  const { root, feature } = placed;
  const label = plainLine(feature.feature, 60);
  const description = featureDescription(feature, reader);
  return treeNode({
    kind: 'feature',
    id: featureId(placed),
    root,
    label,
    description,
    icon: phaseIcon(feature.phase),
    contextValue: `run.feature.${feature.phase}`,
    accessibleLabel: spokenOnce(label, [phaseWord(feature.phase, reader.t)], description),
    run: { feature: feature.feature, worker: null, task: null, need: null },
    children: [
      ...feature.levels.map((level) => levelNode(placed, level, reader)),
      ...looseTasks(placed, reader),
      ...feature.workers.map((worker) => runWorkerNode({ ...placed, worker }, reader)),
    ],
    ...(isUnderWay(feature) ? { expand: 'expanded' as const } : {}),
  });
}
