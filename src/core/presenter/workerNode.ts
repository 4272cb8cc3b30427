import type { WorkerSnapshot } from '../protocol/snapshot';
import { usageWords } from './engineWords';
import { evidenceNodes } from './evidenceNodes';
import { outputPath } from './outputPath';
import { plainLine } from './plainText';
import { fullProgress } from './progressWords';
import { type ChildDraft, type TreeNode, treeNode } from './treeNode';
import { toRow } from './workerRow';
import type { Reader } from './words';

/** One worker in one tree: where it stands and under which label. */
export interface PlacedWorker {
  readonly root: string;
  readonly worker: WorkerSnapshot;
  readonly label: string;
}

function childOf({ root, worker }: PlacedWorker, { key, ...draft }: ChildDraft): TreeNode {
  return treeNode({ ...draft, root, workerId: worker.workerId, id: `${root}#worker/${worker.workerId}/${key}` });
}

function progressNode(placed: PlacedWorker, { t }: Reader): readonly TreeNode[] {
  const description = fullProgress(placed.worker.progress);
  const icon = { name: 'graph', color: null };
  return description === ''
    ? []
    : [childOf(placed, { key: 'progress', kind: 'fact', label: t('Progress'), description, icon })];
}

function errorNode(placed: PlacedWorker, { t }: Reader): readonly TreeNode[] {
  const description = plainLine(placed.worker.problem ?? placed.worker.error ?? '');
  const icon = { name: 'comment', color: null };
  return description === ''
    ? []
    : [childOf(placed, { key: 'error', kind: 'fact', label: t('Says'), description, tooltip: null, icon })];
}

/** What its engine used, and which files it wrote: the stream says so, whatever status.json says. */
function engineNodes(placed: PlacedWorker, { t }: Reader): readonly TreeNode[] {
  const { engine } = placed.worker;
  const used = engine === null ? '' : usageWords(engine.usage, t);
  const children = (engine?.files ?? []).toReversed().map((path) =>
    childOf(placed, {
      key: `written/${path}`,
      kind: 'fact',
      label: plainLine(path),
      icon: { name: 'edit', color: null },
    }),
  );
  return [
    ...(used === ''
      ? []
      : [
          childOf(placed, {
            key: 'used',
            kind: 'fact',
            label: t('Used'),
            description: used,
            icon: { name: 'credit-card', color: null },
          }),
        ]),
    ...(children.length === 0
      ? []
      : [
          childOf(placed, {
            key: 'written',
            kind: 'evidence',
            label: t('Files written'),
            description: String(engine?.fileCount ?? 0),
            icon: { name: 'edit', color: null },
            children,
          }),
        ]),
  ];
}

function outputsNode(placed: PlacedWorker, { t }: Reader): readonly TreeNode[] {
  const { outputs } = placed.worker;
  const children = outputs.map((name) =>
    childOf(placed, {
      key: `output/${name}`,
      kind: 'output',
      label: plainLine(name),
      icon: { name: 'file', color: null },
      file: outputPath(placed.worker, name),
      accessibleLabel: t('output file {0}', plainLine(name)),
    }),
  );
  const icon = { name: 'output', color: null };
  const description = String(outputs.length);
  return outputs.length === 0
    ? []
    : [
        childOf(placed, {
          key: 'outputs',
          kind: 'outputs',
          label: t('Output'),
          description,
          icon,
          children,
          expand: 'expanded',
        }),
      ];
}

function logNode(placed: PlacedWorker, { t }: Reader): TreeNode {
  const icon = { name: 'list-selection', color: null };
  return childOf(placed, { key: 'log', kind: 'log', label: t('Log'), icon, file: placed.worker.logFile });
}

/** A worker's row with its children: progress, what it says, outputs, log, evidence. */
export function workerNode(placed: PlacedWorker, reader: Reader): TreeNode {
  const { root, worker, label } = placed;
  return treeNode({
    ...toRow(worker, label, reader),
    kind: 'worker',
    root,
    id: `${root}#worker/${worker.workerId}`,
    workerId: worker.workerId,
    expand: 'collapsed',
    children: [
      ...progressNode(placed, reader),
      ...errorNode(placed, reader),
      ...engineNodes(placed, reader),
      ...outputsNode(placed, reader),
      logNode(placed, reader),
      ...evidenceNodes(placed.worker.evidence, (child) => childOf(placed, child), reader),
    ],
  });
}
