import { isGone } from '../../protocol/features/featurePhase';
import type {
  FeatureEscalation,
  FeatureLevel,
  FeatureSnapshot,
  FeaturesSnapshot,
  FeatureTask,
  FeatureWorker,
} from '../../protocol/features/featureSnapshot';
import type { ProjectProgress } from '../../protocol/features/featureSources';
import { workerKey } from '../../protocol/features/workerKey';
import { plainLine } from '../plainText';
import { plainEnglish } from '../words';
import { levelReached } from './levelReached';
import { stepProgress } from './stepGlyphs';
import { idsInLine, strandedWith } from './strandedWith';
import { workerSeen } from './workerSeen';

const BAR_CELLS = 20;
const NAME_LIMIT = 60;
/** A dashboard is for one screen; the table of the tasks has them all. */
const MAX_TASK_LINES = 20;

/**
 * The document's dashboard of one feature as lines: project line, progress line, a bar per level, a line per worker,
 * then what needs a person. `project` is the name of the project.
 */
export function featureDashboard(project: string, feature: FeatureSnapshot): readonly string[] {
  const trouble = troubleLines(feature);
  return [
    projectLine(project, feature),
    progressLine(feature),
    ...feature.levels.map(levelLine),
    ...feature.workers.map((worker) => workerLine(worker, feature)),
    ...trouble,
  ];
}

/** What could not be given to one feature, a line each; it may belong to any. */
export function unattributedLines({
  unattributedHeartbeats,
  unattributedEscalations,
}: FeaturesSnapshot): readonly string[] {
  return [
    ...unattributedEscalations.filter(({ resolved }) => !resolved).map(escalationLine),
    ...unattributedHeartbeats.map((file) => `  ? ${plainLine(file)} belongs to no feature that is known here`),
  ];
}

/** The project-wide table, which stands in where no feature tells anything. */
export function projectProgressLine({ path, complete, total }: ProjectProgress): string {
  return `${plainLine(path)}: ${String(complete)}/${String(total)} done (the whole project, not one feature)`;
}

function projectLine(project: string, { feature, phase, modes }: FeatureSnapshot): string {
  const mode = modes.length === 0 ? '' : ` (${modes.join(', ')})`;
  return `Project: ${plainLine(project, NAME_LIMIT)} · Feature: ${plainLine(feature, NAME_LIMIT)} · ${phaseWords(phase)}${mode}`;
}

function phaseWords(phase: FeatureSnapshot['phase']): string {
  switch (phase) {
    case 'designed':
      return 'designed, not started';
    case 'complete_with_failures':
      return 'complete with failures';
    case 'unreadable':
    case 'complete':
    case 'paused':
    case 'orphaned':
    case 'executing':
      return phase;
  }
}

/** `Level c/t | Tasks: a/b (p%) | Workers: x/y active`; `?` where a file cannot be read. */
function progressLine(feature: FeatureSnapshot): string {
  const { byStatus, totalTasks, percent, workers, phase } = feature;
  const complete = phase === 'unreadable' ? '?' : String(byStatus['complete'] ?? 0);
  const tasks = `${complete}/${totalTasks === null ? '?' : String(totalTasks)} (${percent === null ? '?' : `${String(percent)}%`})`;
  const active = workers.filter(({ liveness }) => !isGone(liveness)).length;
  return `Level ${levelReached(feature)} | Tasks: ${tasks} | Workers: ${String(active)}/${String(workers.length)} active`;
}

function levelLine({ level, name, total, complete, failed, status }: FeatureLevel): string {
  const filled = complete === null || total === 0 ? 0 : Math.floor((BAR_CELLS * complete) / total);
  const bar = complete === null ? '?'.repeat(BAR_CELLS) : '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
  const counted = `${complete === null ? '?' : String(complete)}/${String(total)}`;
  const broken = failed === null || failed === 0 ? '' : ` · ${String(failed)} failed`;
  const label = `L${String(level)} ${plainLine(name ?? '', 24)}`.trimEnd();
  return `  ${label.padEnd(16)} ${bar} ${counted} ${status.replaceAll('_', ' ')}${broken}`;
}

function workerLine(worker: FeatureWorker, feature: FeatureSnapshot): string {
  const { id, status, currentTask, liveness, respawning } = worker;
  const shown = liveness === 'stale' || liveness === 'silent' ? `${status}, ${liveness}` : status;
  const stranded = strandedWith(worker, feature).map((task) => task.id);
  const parts = [
    plainLine(shown, 30),
    plainLine(currentTask ?? '', NAME_LIMIT),
    stepProgress(worker.heartbeat),
    workerSeen(worker),
    stranded.length === 0 ? '' : `stranded: ${idsInLine(stranded, plainEnglish)}`,
    respawning ? 'starts again and again' : '',
  ];
  return `  W${plainLine(String(id), 20)} ${parts.filter((part) => part !== '').join(' · ')}`;
}

/** Errors, stranded tasks of no worker, failed tasks and calls for help, each on a line; of many tasks the first. */
function troubleLines({ error, tasks, workers, escalations }: FeatureSnapshot): readonly string[] {
  const known = new Set(workers.map(({ id }) => workerKey(id)));
  const lost = tasks.filter((task) => task.stranded && !known.has(workerKey(task.worker)));
  const failed = tasks.filter(({ status }) => status === 'failed');
  const open = escalations.filter(({ resolved }) => !resolved);
  return [
    ...(error === null ? [] : [`  ! ${plainLine(error)}`]),
    ...firstOf(lost, 'stranded', ({ id }) => `${plainLine(id, NAME_LIMIT)} is stranded: nobody works on it`),
    ...firstOf(failed, 'failed', ({ id, error: why }) => {
      const reason = why === null ? '' : `: ${plainLine(why)}`;
      return `${plainLine(id, NAME_LIMIT)} failed${reason}`;
    }),
    ...open.map(escalationLine),
  ];
}

function firstOf(tasks: readonly FeatureTask[], what: string, say: (task: FeatureTask) => string): readonly string[] {
  const lines = tasks.slice(0, MAX_TASK_LINES).map((task) => `  ! ${say(task)}`);
  const more = tasks.length - lines.length;
  return more === 0 ? lines : [...lines, `  ! ${String(more)} more tasks are ${what}`];
}

function escalationLine({ worker, task, category, message }: FeatureEscalation): string {
  const where = [worker === null ? null : `W${String(worker)}`, task].filter((part) => part !== null).join(' ');
  return `  ! ${plainLine(where === '' ? 'somebody' : where)} asks for help (${plainLine(category ?? 'no category')}): ${plainLine(message ?? '')}`;
}
