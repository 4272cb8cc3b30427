import type { ScheduleSnapshot } from '../protocol/snapshot';
import type { WorkerType } from '../protocol/workers/workerType';
import { plainLine } from './plainText';
import { scheduleFacts, scheduleWords } from './scheduleWords';
import { folderName } from './toTree';
import { type TreeNode, treeNode } from './treeNode';
import { factTable } from './workerTooltip';
import type { Reader } from './words';

/** The worker types of one root, in the order of `list`. */
export interface RootTypes {
  readonly root: string;
  readonly types: readonly WorkerType[];
  readonly schedules: readonly ScheduleSnapshot[];
}

function typeTooltip(type: WorkerType, schedule: ScheduleSnapshot | null, reader: Reader): string {
  const { t } = reader;
  return factTable([
    [t('Type'), type.name],
    [t('Description'), type.description],
    [t('Model'), type.model],
    [t('Command'), type.command === null ? null : type.command.join(' ')],
    [t('Template'), type.template],
    [t('May also write'), type.mayWrite.join(', ')],
    [t('Defined in'), type.source === 'protocol' ? null : '.vscode/workers.json'],
    ...(schedule === null ? [] : scheduleFacts(schedule, reader)),
  ]);
}

function typeNode({ root, schedules }: RootTypes, type: WorkerType, reader: Reader): TreeNode {
  const schedule = schedules.find((candidate) => candidate.type === type.name) ?? null;
  const due = schedule === null ? '' : ` · ${scheduleWords(schedule, reader)}`;
  const name = plainLine(type.name, 60);
  const model = type.model === 'none' ? '' : `${plainLine(type.model, 30)} · `;
  return treeNode({
    kind: 'type',
    id: `${root}#type/${type.name}`,
    root,
    label: name,
    description: `${model}${plainLine(type.description)}${due}`,
    icon: { name: type.command === null ? 'server-process' : 'terminal', color: null },
    tooltip: typeTooltip(type, schedule, reader),
  });
}

/** The Worker types view: one row per type, below one node per folder where there are several roots. */
export function toTypesTree(roots: readonly RootTypes[], reader: Reader): readonly TreeNode[] {
  const rows = (of: RootTypes): readonly TreeNode[] => of.types.map((type) => typeNode(of, type, reader));
  if (roots.length <= 1) {
    return roots.flatMap(rows);
  }
  return roots.map((one) =>
    treeNode({
      kind: 'folder',
      id: `${one.root}#folder`,
      root: one.root,
      label: folderName(one.root),
      icon: { name: 'root-folder', color: null },
      expand: 'expanded',
      children: rows(one),
    }),
  );
}
