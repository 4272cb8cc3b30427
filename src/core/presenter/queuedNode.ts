import type { QueuedStart } from '../protocol/workers/queueDocument';
import { formatDuration } from './formatDuration';
import { plainLine } from './plainText';
import { type TreeNode, treeNode } from './treeNode';
import type { Reader, Translate } from './words';
import { factTable } from './workerTooltip';

/** One start in the queue of its root; `place` counts from 1. */
export interface PlacedStart {
  readonly root: string;
  readonly start: QueuedStart;
  readonly place: number;
}

/** `queued, 2nd`: what a queued start says of itself (surfaces.md, "How a row looks"). */
export function queuedWords(place: number, t: Translate): string {
  const isTeen = place % 100 >= 11 && place % 100 <= 13;
  switch (isTeen ? 0 : place % 10) {
    case 1:
      return t('queued, {0}st', place);
    case 2:
      return t('queued, {0}nd', place);
    case 3:
      return t('queued, {0}rd', place);
    default:
      return t('queued, {0}th', place);
  }
}

/** The row of a start that waits for a free slot. */
export function queuedNode({ root, start, place }: PlacedStart, reader: Reader): TreeNode {
  const { t } = reader;
  return treeNode({
    kind: 'queued',
    id: `${root}#queue/${start.id}`,
    root,
    label: plainLine(start.type, 40),
    description: queuedWords(place, t),
    icon: { name: 'circle-outline', color: null },
    queueId: start.id,
    tooltip: factTable([
      [t('ID'), start.id],
      [t('State'), queuedWords(place, t)],
      [t('Waits since'), `${reader.timeOfDay(start.since)} · ${formatDuration(reader.now - start.since)}`],
    ]),
  });
}
