import type { FleetProblem, WorkerSnapshot } from '../protocol/snapshot';
import { askNode } from './askNode';
import { inboxNode } from './agents/inboxNode';
import { fuseNode } from './fuseNode';
import { runNeedNode } from './features/runNeeds';
import { type Need, needsOf, snoozedOf, snoozedUntil } from './needs';
import { escapeMarkdown, plainLine } from './plainText';
import { comingTime, joined } from './rowWords';
import { type TreeNode, treeNode } from './treeNode';
import { labelOf, type TreeScene } from './treeScene';
import { hasOutputFuse } from './workerIcon';
import type { WorkerItem } from './workerItems';
import { spoken, toRow } from './workerRow';
import type { Reader } from './words';

function needLabel(worker: WorkerSnapshot, label: string, { t }: Reader): string {
  if (worker.problem !== null || worker.attention?.kind === 'unreadable') {
    return t('{0} unreadable', label);
  }
  switch (worker.attention?.kind) {
    case 'failed':
      return t('{0} failed', label);
    case 'gave-up':
      return t('{0} gave up', label);
    case 'question':
    case 'permission':
      return t('{0} asks', label);
    case 'blocked':
      return t('{0} is blocked', label);
    case 'fuse':
      return t('{0}: fuse blown', label);
    case 'violation':
      return t('{0}: protected files changed', label);
    case undefined:
      return label;
  }
}

function workerNeedNode({ id, worker }: WorkerItem, scene: TreeScene): TreeNode {
  const { snapshot, reader } = scene;
  const row = toRow(worker, labelOf(worker, scene), reader);
  const label = needLabel(worker, row.label, reader);
  // Whatever the row itself tells of its state, here stands the number.
  const description = hasOutputFuse(worker) ? plainLine(worker.attention?.text ?? '') : row.description;
  return treeNode({
    kind: 'need',
    id: `${snapshot.root}#need/${worker.workerId}`,
    root: snapshot.root,
    label,
    description,
    icon: row.icon,
    contextValue: row.contextValue.replace('worker.', 'need.'),
    accessibleLabel: spoken(label, description),
    workerId: worker.workerId,
    itemId: id,
  });
}

interface Trouble {
  readonly key: string;
  readonly label: string;
  readonly message: string;
}

function fleetTrouble({ code, message }: FleetProblem, { t }: Reader): Trouble {
  return { key: code, label: code === 'config' ? t('Configuration') : t('Workers folder'), message };
}

function troublesIn({ snapshot, reader }: TreeScene): readonly Trouble[] {
  const ofSession = (snapshot.session?.problems ?? []).map((message) => ({
    key: 'session',
    label: reader.t('Session'),
    message,
  }));
  return [...snapshot.problems.map((problem) => fleetTrouble(problem, reader)), ...ofSession];
}

function troubleNode({ key, label, message }: Trouble, { snapshot }: TreeScene): TreeNode {
  const description = plainLine(message, 500);
  return treeNode({
    kind: 'problem',
    id: `${snapshot.root}#problem/${key}/${description}`,
    root: snapshot.root,
    label,
    description,
    icon: { name: 'warning', color: 'list.warningForeground' },
    tooltip: escapeMarkdown(description),
  });
}

function needNode(need: Need, scene: TreeScene): TreeNode {
  const { snapshot, reader } = scene;
  if ('run' in need) {
    return runNeedNode(snapshot.root, need.run, reader);
  }
  if ('item' in need) {
    return inboxNode({ root: snapshot.root, need }, reader);
  }
  if ('fuse' in need) {
    return fuseNode(need.fuse, scene);
  }
  return need.ask === null ? workerNeedNode(need, scene) : askNode({ ...need, ask: need.ask }, scene);
}

/** The row that it has when it is back, quiet, and with the time of that. For menus: `snoozed.` before what it is. */
function snoozedNode(need: Need, scene: TreeScene): TreeNode {
  const { reader } = scene;
  const node = needNode(need, scene);
  const description = joined(reader.t('till {0}', comingTime(snoozedUntil(need) ?? 0, reader)), node.description);
  return {
    ...node,
    description,
    icon: { name: 'bell-slash', color: null },
    contextValue: `snoozed.${node.contextValue}`,
    accessibleLabel: spoken(node.label, description),
  };
}

/** What was put off: there to be seen, folded, and not counted. */
function snoozedNodes(scene: TreeScene): readonly TreeNode[] {
  const { snapshot, reader } = scene;
  const { root } = snapshot;
  const children = snoozedOf(snapshot).map((need) => snoozedNode(need, scene));
  const icon = { name: 'bell-slash', color: null };
  const [id, label, description] = [`${root}#snoozed`, reader.t('Snoozed'), String(children.length)];
  return children.length === 0
    ? []
    : [treeNode({ kind: 'group', id, root, label, description, icon, contextValue: 'group.snoozed', children })];
}

/**
 * *Needs you*: troubles first, then what waits for a person, the oldest first; only that is counted (surfaces.md,
 * "Sidebar"). Below it what was put off.
 */
export function needsGroup(scene: TreeScene): readonly TreeNode[] {
  const { snapshot, reader } = scene;
  const troubles = troublesIn(scene).map((trouble) => troubleNode(trouble, scene));
  const needs = needsOf(snapshot).map((need) => needNode(need, scene));
  const snoozed = snoozedNodes(scene);
  const count = troubles.length + needs.length;
  return count + snoozed.length === 0
    ? []
    : [
        treeNode({
          kind: 'group',
          id: `${snapshot.root}#needs`,
          root: snapshot.root,
          label: reader.t('Needs you'),
          description: String(count),
          contextValue: 'group.needs',
          expand: 'expanded',
          children: [...troubles, ...needs, ...snoozed],
        }),
      ];
}
