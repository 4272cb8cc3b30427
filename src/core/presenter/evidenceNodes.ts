import type { Evidence } from '../protocol/snapshot';
import type { ChildDraft, TreeNode } from './treeNode';
import { evidenceText } from './workerTooltip';
import type { Reader } from './words';

/** What a state rests on, below one row; no row where there is nothing. `childOf` places a row below its owner. */
export function evidenceNodes(
  evidence: readonly Evidence[],
  childOf: (child: ChildDraft) => TreeNode,
  reader: Reader,
): readonly TreeNode[] {
  const children = evidence.map((one, index) =>
    childOf({
      key: `evidence/${index}`,
      kind: 'fact',
      label: one.source,
      description: evidenceText(one, reader),
      icon: { name: 'eye', color: null },
    }),
  );
  const icon = { name: 'law', color: null };
  return children.length === 0
    ? []
    : [childOf({ key: 'evidence', kind: 'evidence', label: reader.t('Evidence'), icon, children })];
}
