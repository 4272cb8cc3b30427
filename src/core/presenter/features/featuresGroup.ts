import type { FeatureSnapshot, FeaturesSnapshot } from '../../protocol/features/featureSnapshot';
import { escapeMarkdown, plainLine } from '../plainText';
import { type TreeNode, treeNode } from '../treeNode';
import type { TreeScene } from '../treeScene';
import type { Reader } from '../words';
import { featureNode, isUnderWay } from './featureNode';

function rank(feature: FeatureSnapshot): number {
  if (isUnderWay(feature)) {
    return 0;
  }
  return feature.phase === 'unreadable' || feature.phase === 'designed' ? 1 : 2;
}

/** What is under way on top, then what is to come, then what is done; by name in each. */
function ordered({ features }: FeaturesSnapshot): readonly FeatureSnapshot[] {
  return features.toSorted((a, b) => rank(a) - rank(b));
}

/** What could not be read and what belongs to no feature, so that nobody takes it for told. */
function untoldNode(root: string, snapshot: FeaturesSnapshot, { t }: Reader): readonly TreeNode[] {
  const lost = snapshot.unattributedHeartbeats.map((file) => t('{0} belongs to no feature that is known here', file));
  const sentences = [...snapshot.diagnostics, ...lost].map((sentence) => plainLine(sentence, 500));
  const icon = { name: 'warning', color: 'list.warningForeground' };
  const children = [...new Set(sentences)].map((label) =>
    treeNode({ kind: 'fact', id: `${root}#untold/${label}`, root, label, icon, tooltip: escapeMarkdown(label) }),
  );
  return children.length === 0
    ? []
    : [
        treeNode({
          kind: 'group',
          id: `${root}#untold`,
          root,
          label: t('Not understood'),
          description: String(children.length),
          icon,
          contextValue: 'group.untold',
          children,
        }),
      ];
}

/** A project-wide table stands in where no feature tells anything, and says so. */
function projectNode(root: string, { projectProgress }: FeaturesSnapshot, { t }: Reader): readonly TreeNode[] {
  if (projectProgress === null) {
    return [];
  }
  const { path, complete, total } = projectProgress;
  const description = t('{0} tasks · the whole project, not one feature', `${complete}/${total}`);
  const icon = { name: 'project', color: null };
  return [treeNode({ kind: 'fact', id: `${root}#project`, root, label: plainLine(path, 60), description, icon })];
}

/** *Feature runs* of other sessions, several side by side; absent where there are none (features.md §3). */
export function featuresGroup({ snapshot, reader }: TreeScene): readonly TreeNode[] {
  const { root, features } = snapshot;
  if (features === undefined) {
    return [];
  }
  const children = [
    ...ordered(features).map((feature) => featureNode({ root, feature }, reader)),
    ...projectNode(root, features, reader),
    ...untoldNode(root, features, reader),
  ];
  return children.length === 0
    ? []
    : [
        treeNode({
          kind: 'group',
          id: `${root}#features`,
          root,
          label: reader.t('Feature runs'),
          contextValue: 'group.features',
          expand: 'expanded',
          children,
        }),
      ];
}
