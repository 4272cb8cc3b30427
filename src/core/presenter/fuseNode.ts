import { type FleetFuse, fleetFuseDetail, fleetFuseId } from '../protocol/fleetFuse';
import { plainLine } from './plainText';
import { ageOf } from './rowWords';
import { type TreeNode, treeNode } from './treeNode';
import type { TreeScene } from './treeScene';
import type { Icon } from './workerIcon';
import { spoken, type WorkerRow } from './workerRow';
import { factTable } from './workerTooltip';
import type { Reader } from './words';

const ICON: Icon = { name: 'bell-dot', color: 'list.warningForeground' };

/** How a blown fuse of the whole project looks, as that of a worker does. For menus: `fuse.<name>`. */
export function fuseRow(fuse: FleetFuse, { t }: Reader): WorkerRow {
  const label = t('{0}: fuse blown', fuse.name === 'logs' ? t('All logs') : t('Disk'));
  const description = plainLine(fleetFuseDetail(fuse), 500);
  return {
    label,
    description,
    icon: ICON,
    contextValue: `fuse.${fuse.name}`,
    accessibleLabel: spoken(label, description),
  };
}

/** Its row in *Needs you*. */
export function fuseNode(fuse: FleetFuse, { snapshot, reader }: TreeScene): TreeNode {
  const { t } = reader;
  const row = fuseRow(fuse, reader);
  const help =
    fuse.name === 'logs'
      ? t(
          'Nothing is started. Clean up old worker folders, raise limits.totalLogsMB in .vscode/workers.json, or reset.',
        )
      : t('Nothing is started. Free some space.');
  return treeNode({
    ...row,
    kind: 'fuse',
    id: `${snapshot.root}#need/${fleetFuseId(fuse.name)}`,
    root: snapshot.root,
    itemId: fleetFuseId(fuse.name),
    tooltip: factTable([
      [t('Fuse'), row.description],
      [t('Since'), t('{0} · {1} ago', reader.timeOfDay(fuse.since), ageOf(fuse.since, reader))],
      [t('What to do'), help],
    ]),
  });
}
