import type { FeatureLevel, FeatureTask } from '../../protocol/features/featureSnapshot';
import { isHeld } from '../../protocol/features/taskStatus';
import { plainLine } from '../plainText';
import { joined } from '../rowWords';
import { type TreeNode, treeNode } from '../treeNode';
import type { Reader } from '../words';
import { levelIcon } from './runIcons';
import { levelWord } from './runWords';
import { spokenOnce } from './spokenOnce';
import { featureId, type PlacedFeature, taskNode } from './taskNode';

const BROKEN: ReadonlySet<string> = new Set(['failed', 'waiting_retry']);

function levelLabel({ level, name }: FeatureLevel, { t }: Reader): string {
  return `${t('Level {0}', level)} ${plainLine(name ?? '', 30)}`.trimEnd();
}

/** `3/8 running`; the icon says what needs no word. */
function levelDescription({ total, complete, failed, status }: FeatureLevel, { t }: Reader): string {
  const counted = `${complete ?? '?'}/${total}`;
  const lost = failed === null || failed === 0 ? null : t('{0} failed', failed);
  const quiet = status === 'complete' || status === 'complete_with_failures' || status === 'pending';
  return joined(quiet ? counted : `${counted} ${levelWord(status, t)}`, lost);
}

/** The row of a level with its tasks below, folded: the workers stand right behind the levels. */
export function levelNode(placed: PlacedFeature, level: FeatureLevel, reader: Reader): TreeNode {
  const id = `${featureId(placed)}/level/${level.level}`;
  const label = levelLabel(level, reader);
  const description = levelDescription(level, reader);
  const { feature, tasks } = placed.feature;
  return treeNode({
    kind: 'level',
    id,
    root: placed.root,
    label,
    description,
    icon: levelIcon(level.status),
    contextValue: 'run.level',
    accessibleLabel: spokenOnce(label, [levelWord(level.status, reader.t)], description),
    run: { feature, worker: null, task: null, need: null },
    children: taskNodes(
      { ...placed, under: id },
      tasks.filter((task) => task.level === level.level),
      reader,
    ),
  });
}

/** Whether somebody works on a task, should, or must look at it. */
function standsOut({ status, stranded }: FeatureTask): boolean {
  return stranded || isHeld(status) || BROKEN.has(status);
}

/** What is worked on and what broke stands on top, else the order of the graph. */
export function taskNodes(
  placed: PlacedFeature & { readonly under: string },
  tasks: readonly FeatureTask[],
  reader: Reader,
): readonly TreeNode[] {
  const ordered = tasks.toSorted((a, b) => Number(standsOut(b)) - Number(standsOut(a)));
  return ordered.map((task) => taskNode(placed, task, reader));
}
