import type { AskRecord } from '../protocol/engines/keptEngine';
import { parseTimestamp } from '../protocol/workers/timestamp';
import { formatDuration } from './formatDuration';
import { plainLine } from './plainText';
import { projectText } from './projectText';
import { ageOf } from './rowWords';
import { type TreeNode, treeNode } from './treeNode';
import { labelOf, type TreeScene } from './treeScene';
import type { WorkerItem } from './workerItems';
import { spoken } from './workerRow';
import { factTable } from './workerTooltip';
import type { Reader } from './words';

type Asking = WorkerItem & { readonly ask: AskRecord };

/**
 * What a worker's program asks, as a row of *Needs you*. For menus: `ask.permission`, which is allowed or denied, or
 * `ask.question`, which is answered.
 */
export function askNode(item: Asking, scene: TreeScene): TreeNode {
  const { snapshot, reader } = scene;
  const label = reader.t('{0} asks', labelOf(item.worker, scene));
  const description = plainLine(projectText(item.text, item.worker));
  return treeNode({
    kind: 'ask',
    id: `${snapshot.root}#need/${item.id}`,
    root: snapshot.root,
    label,
    description,
    icon: { name: 'bell-dot', color: 'list.warningForeground' },
    contextValue: `ask.${item.kind}`,
    accessibleLabel: spoken(label, description),
    workerId: item.worker.workerId,
    itemId: item.id,
    tooltip: tooltipOf(item, reader),
  });
}

function tooltipOf({ worker, ask, since }: Asking, reader: Reader): string {
  const { t, now } = reader;
  const until = parseTimestamp(ask.until);
  const left = until === null ? null : t('denied in {0} unless you answer', formatDuration(Math.max(0, until - now)));
  return factTable([
    [t('Worker'), worker.workerId],
    [ask.isQuestion ? t('Asks') : t('Wants to'), plainLine(ask.text, 1_000)],
    [t('Tool'), ask.tool],
    [t('Choices'), ask.choices.join(', ')],
    [t('Since'), t('{0} · {1} ago', reader.timeOfDay(since), ageOf(since, reader))],
    [t('Time left'), left],
  ]);
}
