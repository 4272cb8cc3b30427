import type { FeatureSnapshot, FeatureWorker } from '../../protocol/features/featureSnapshot';
import { plainLine } from '../plainText';
import { joined } from '../rowWords';
import { type ChildDraft, type TreeNode, treeNode } from '../treeNode';
import type { Reader } from '../words';
import { runWorkerIcon } from './runIcons';
import { livenessWord, statusWords } from './runWords';
import { spokenOnce } from './spokenOnce';
import { stepGlyphs } from './stepGlyphs';
import { idsInLine, strandedWith } from './strandedWith';
import { featureId, type PlacedFeature, taskNode, workerName } from './taskNode';
import { agedWorker, workerSeen } from './workerSeen';

/** `60% [3/5: ✅✅🔄⏳⏳]`, or the name of the step; empty where no heartbeat counts. */
function stepWords({ heartbeat }: FeatureWorker): string {
  if (heartbeat === null) {
    return '';
  }
  const percent = heartbeat.progressPct === null ? '' : `${Math.round(heartbeat.progressPct)}%`;
  const step = stepGlyphs(heartbeat) ?? plainLine((heartbeat.step ?? '').replaceAll('_', ' '), 30);
  return `${percent} ${step}`.trim();
}

function working(worker: FeatureWorker, { t }: Reader): string {
  const { currentTask, status } = worker;
  const step = currentTask === null ? '' : stepWords(worker);
  const says = status === 'running' && step !== '' ? null : statusWords(status, t);
  return joined(step, says, currentTask === null ? null : plainLine(currentTask, 40));
}

function ended(worker: FeatureWorker, { t }: Reader): string {
  const { liveness, tasksCompleted } = worker;
  const how = liveness === 'crashed' ? workerSeen(worker, t) : '';
  const done = tasksCompleted === 0 ? null : t('{0} tasks done', tasksCompleted);
  return joined(how === '' ? livenessWord(liveness, t) : how, done);
}

function ofLife(worker: FeatureWorker, reader: Reader): string {
  const { t, now } = reader;
  switch (worker.liveness) {
    case 'active':
    case 'no-heartbeat':
      return working(worker, reader);
    case 'late':
    case 'stale':
    case 'silent':
      return workerSeen(agedWorker(worker, now), t);
    case 'stopped':
    case 'crashed':
      return ended(worker, reader);
  }
}

/** What stands behind `W2`: what it does, or since when nobody saw it and what it left (surfaces.md, "How a row looks"). */
export function runWorkerDescription(worker: FeatureWorker, feature: FeatureSnapshot, reader: Reader): string {
  const { t } = reader;
  const stranded = strandedWith(worker, feature).map(({ id }) => id);
  const lost = stranded.length === 0 ? null : t('stranded {0}', idsInLine(stranded, t));
  const late = worker.liveness === 'late' && worker.currentTask !== null ? plainLine(worker.currentTask, 40) : null;
  const loops = worker.respawning ? t('starts again and again') : null;
  return joined(loops, ofLife(worker, reader), lost ?? late);
}

interface PlacedWorker extends PlacedFeature {
  readonly worker: FeatureWorker;
}

function idOf(placed: PlacedWorker): string {
  return `${featureId(placed)}/worker/${String(placed.worker.id)}`;
}

function childOf(placed: PlacedWorker, { key, ...draft }: ChildDraft): TreeNode {
  const { root, feature, worker } = placed;
  const run = { feature: feature.feature, worker: worker.id, task: null, need: null };
  return treeNode({ root, run, id: `${idOf(placed)}/${key}`, ...draft });
}

function currentNode(placed: PlacedWorker, reader: Reader): readonly TreeNode[] {
  const { feature, worker } = placed;
  const task = feature.tasks.find(({ id, stranded }) => id === worker.currentTask && !stranded);
  return task === undefined ? [] : [taskNode({ ...placed, under: idOf(placed) }, task, reader)];
}

function stepNode(placed: PlacedWorker, { t }: Reader): readonly TreeNode[] {
  const description = stepWords(placed.worker);
  const icon = { name: 'list-ordered', color: null };
  return description === ''
    ? []
    : [childOf(placed, { key: 'steps', kind: 'fact', label: t('Steps'), description, icon })];
}

function checkNodes(placed: PlacedWorker, { t }: Reader): readonly TreeNode[] {
  return placed.worker.tiers.map(({ tier, name, success, retry }, index) =>
    childOf(placed, {
      key: `check/${index}`,
      kind: 'fact',
      label: t('Check {0}', tier ?? index + 1),
      description: joined(
        success ? t('passed') : t('failed'),
        plainLine(name ?? '', 40),
        retry === 0 ? null : t('retry {0}', retry),
      ),
      icon: success ? { name: 'pass', color: 'testing.iconPassed' } : { name: 'error', color: 'testing.iconFailed' },
    }),
  );
}

function logNode(placed: PlacedWorker, { t }: Reader): TreeNode {
  const icon = { name: 'list-selection', color: null };
  return childOf(placed, { key: 'log', kind: 'log', label: t('Log'), icon, contextValue: 'run.log' });
}

/** The row of a worker of a run with its task, steps, checks, what it left, and its log. */
export function runWorkerNode(placed: PlacedWorker, reader: Reader): TreeNode {
  const { root, feature, worker } = placed;
  const label = workerName(worker.id);
  const description = runWorkerDescription(worker, feature, reader);
  const { t } = reader;
  const id = idOf(placed);
  return treeNode({
    kind: 'runWorker',
    id,
    root,
    label,
    description,
    icon: runWorkerIcon(worker),
    contextValue: `run.worker.${worker.liveness}`,
    accessibleLabel: spokenOnce(label, [statusWords(worker.status, t), livenessWord(worker.liveness, t)], description),
    run: { feature: feature.feature, worker: worker.id, task: null, need: null },
    children: [
      ...currentNode(placed, reader),
      ...strandedWith(worker, feature).map((task) => taskNode({ ...placed, under: id }, task, reader)),
      ...stepNode(placed, reader),
      ...checkNodes(placed, reader),
      logNode(placed, reader),
    ],
  });
}
