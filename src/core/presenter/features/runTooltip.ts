import type { FeatureSnapshot, FeatureTask, FeatureWorker } from '../../protocol/features/featureSnapshot';
import { workerKey } from '../../protocol/features/workerKey';
import { formatDuration } from '../formatDuration';
import { plainLine } from '../plainText';
import type { ShownRoot } from '../shownRoot';
import type { RunPlace, TreeNode } from '../treeNode';
import { type Fact, factTable } from '../workerTooltip';
import type { Reader } from '../words';
import { featureDescription } from './featureNode';
import { type RunNeed, runNeedsOf, runNeedText } from './runNeeds';
import { livenessWord, phaseWord, statusWords } from './runWords';
import { stepGlyphs } from './stepGlyphs';
import { idsInLine, strandedWith } from './strandedWith';
import { taskWords, workerName } from './taskNode';
import { agedWorker, workerSeen } from './workerSeen';

function timeAndAge(at: number | null, { now, timeOfDay, t }: Reader): string | null {
  return at === null ? null : t('{0} · {1} ago', timeOfDay(at), formatDuration(now - at));
}

function featureFacts(feature: FeatureSnapshot, reader: Reader): readonly Fact[] {
  const { t } = reader;
  const { byStatus, strandedTasks } = feature;
  return [
    [t('Feature'), feature.feature],
    [t('State'), phaseWord(feature.phase, t)],
    [t('Progress'), featureDescription(feature, reader)],
    [t('Error'), feature.error],
    [
      t('Tasks'),
      Object.entries(byStatus)
        .map(([status, count]) => `${count} ${statusWords(status, t)}`)
        .join(', '),
    ],
    [t('Stranded'), idsInLine(strandedTasks, t)],
    [t('Started'), timeAndAge(feature.startedAt, reader)],
    [t('Mode'), feature.modes.join(', ')],
    [t('Read from'), feature.source],
  ];
}

function beatFacts({ heartbeat, liveness }: FeatureWorker, reader: Reader): readonly Fact[] {
  const { t } = reader;
  if (heartbeat === null) {
    return [[t('Heartbeat'), liveness === 'stopped' || liveness === 'crashed' ? null : t('none')]];
  }
  return [
    [t('Steps'), stepGlyphs(heartbeat) ?? heartbeat.step],
    [t('Percent'), heartbeat.progressPct === null ? null : `${Math.round(heartbeat.progressPct)}%`],
    [t('Heartbeat'), timeAndAge(heartbeat.at, reader)],
    [t('Read from'), heartbeat.file],
  ];
}

function commitWords({ lastCommit }: FeatureWorker, reader: Reader): string | null {
  if (lastCommit === null) {
    return null;
  }
  const { hash, subject, at } = lastCommit;
  return `${hash} ${plainLine(subject)} · ${timeAndAge(at, reader) ?? ''}`;
}

function workerFacts(worker: FeatureWorker, feature: FeatureSnapshot, reader: Reader): readonly Fact[] {
  const { t } = reader;
  const share = worker.contextUsage;
  return [
    [t('Worker'), `${workerName(worker.id)} · ${feature.feature}`],
    [t('State'), statusWords(worker.status, t)],
    [
      t('Alive'),
      `${livenessWord(worker.liveness, t)} · ${workerSeen(agedWorker(worker, reader.now), t)}`.replace(/ · $/, ''),
    ],
    [t('Problem'), worker.respawning ? t('starts again and again') : null],
    [t('Task'), worker.currentTask],
    [
      t('Stranded'),
      idsInLine(
        strandedWith(worker, feature).map(({ id }) => id),
        t,
      ),
    ],
    ...beatFacts(worker, reader),
    [t('Last activity'), timeAndAge(worker.lastActivityAt, reader)],
    [t('Tasks done'), String(worker.tasksCompleted)],
    [t('Context used'), share === null ? null : `${Math.round(share * 100)}%`],
    [t('Tokens'), worker.tokens === null ? null : String(worker.tokens)],
    [t('Mode'), worker.mode],
    [t('Process'), worker.pid === null ? null : String(worker.pid)],
    [t('Container'), worker.containerId],
    [t('Branch'), worker.branch],
    [t('Last commit'), commitWords(worker, reader)],
    [t('Port'), worker.port === null ? null : String(worker.port)],
  ];
}

function taskFacts(task: FeatureTask, reader: Reader): readonly Fact[] {
  const { t } = reader;
  const { title, worker, plannedWorker, retryCount, level } = task;
  return [
    [t('Task'), task.id],
    [t('Title'), title],
    [t('State'), task.stranded ? `${statusWords(task.status, t)} · ${t('stranded')}` : taskWords(task, reader)],
    [t('Error'), task.error],
    [t('Worker'), worker === null ? null : workerName(worker)],
    [t('Planned for'), plannedWorker === null ? null : workerName(plannedWorker)],
    [t('Level'), level === null ? null : String(level)],
    [t('Retries'), retryCount === 0 ? null : String(retryCount)],
    [t('Started'), timeAndAge(task.startedAt, reader)],
    [t('Ended'), timeAndAge(task.completedAt, reader)],
  ];
}

function needFacts(need: RunNeed, reader: Reader): readonly Fact[] {
  const { t } = reader;
  const { feature, escalation, text, at, kind } = need;
  const worker = escalation?.worker ?? null;
  return [
    [t('Feature'), feature],
    [t('Says'), kind === 'unreadable' ? runNeedText(need, reader) : plainLine(text, 1_000)],
    [t('Type'), escalation?.category ?? null],
    [t('Worker'), worker === null ? null : workerName(worker)],
    [t('Task'), escalation?.task ?? null],
    [t('Since'), timeAndAge(at, reader)],
  ];
}

/** What a row of *Feature runs* stands for, as it is now: null where it is gone. */
function factsOf({ kind, run }: Placed, shown: ShownRoot, reader: Reader): readonly Fact[] | null {
  if (run.need !== null) {
    const need = runNeedsOf(shown).find(({ id }) => id === run.need);
    return need === undefined ? null : needFacts(need, reader);
  }
  const feature = shown.features?.features.find((one) => one.feature === run.feature);
  if (feature === undefined) {
    return null;
  }
  if (kind === 'task') {
    const task = feature.tasks.find(({ id }) => id === run.task);
    return task === undefined ? null : taskFacts(task, reader);
  }
  const worker = feature.workers.find(({ id }) => run.worker !== null && workerKey(id) === workerKey(run.worker));
  return worker === undefined ? featureFacts(feature, reader) : workerFacts(worker, feature, reader);
}

interface Placed extends Pick<TreeNode, 'kind'> {
  readonly run: RunPlace;
}

/** Everything known about a feature, worker, task or need as a small Markdown table, with ages; null where it is gone. */
export function runTooltip(node: Placed, shown: ShownRoot, reader: Reader): string | null {
  const facts = factsOf(node, shown, reader);
  return facts === null ? null : factTable(facts);
}
