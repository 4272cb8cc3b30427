import type { Evidence, WorkerSnapshot } from '../protocol/snapshot';
import { usageWords } from './engineWords';
import { formatDuration } from './formatDuration';
import { escapeMarkdown, plainLine } from './plainText';
import { fullProgress } from './progressWords';
import { stateWord } from './stateWord';
import type { Reader } from './words';

/** A name and its value; one without a value is not shown. */
export type Fact = readonly [name: string, value: string | null];

/** `says · 3 s ago`: one answer to "why this status?" with its age. */
export function evidenceText(evidence: Evidence, reader: Reader): string {
  const says = plainLine(evidence.says);
  return evidence.at === null ? says : `${says} · ${reader.t('{0} ago', formatDuration(reader.now - evidence.at))}`;
}

/** The process's state and, where the two differ, the protocol's word beside it (lifecycle §4). */
function stateText(worker: WorkerSnapshot, { t }: Reader): string {
  const own = worker.entry.status === 'stop-requested' ? 'stopping' : worker.entry.status;
  const state = stateWord(worker.state, t);
  return own === worker.state ? state : t('{0} (registry says {1})', state, worker.entry.status);
}

/** `crash · exit 3 · SIGKILL`, or null where no exit was seen. */
export function exitText(worker: Pick<WorkerSnapshot, 'exit'>, { t }: Reader): string | null {
  if (worker.exit === null) {
    return null;
  }
  const { code, signal } = worker.exit;
  return `${worker.exit.class}${code === null ? '' : ` · ${t('exit {0}', code)}`}${signal === null ? '' : ` · ${signal}`}`;
}

function retryOf({ entry }: WorkerSnapshot): string | null {
  const source = entry.extra['retry_of'];
  return typeof source === 'string' ? source : null;
}

/** What an engine's stream told. */
export function engineFacts({ engine }: Pick<WorkerSnapshot, 'engine'>, { t }: Reader): readonly Fact[] {
  return engine === null
    ? []
    : [
        [t('Engine'), [engine.name, engine.model ?? ''].filter((part) => part !== '').join(' · ')],
        [t('Used'), usageWords(engine.usage, t)],
        [t('Files written'), engine.fileCount === 0 ? null : String(engine.fileCount)],
        [
          t('Writes refused'),
          engine.refused === null ? null : `${String(engine.refused.count)} · ${engine.refused.last}`,
        ],
        [t('Session'), engine.sessionId],
      ];
}

function factsOf(worker: WorkerSnapshot, reader: Reader): readonly Fact[] {
  const { t } = reader;
  const progress = fullProgress(worker.progress);
  return [
    [t('ID'), worker.workerId],
    [t('State'), stateText(worker, reader)],
    [t('Problem'), worker.problem ?? worker.attention?.text ?? null],
    [t('Progress'), progress === '' ? null : progress],
    [t('Error'), worker.error],
    [t('Model'), worker.entry.model],
    [t('Started'), reader.timeOfDay(worker.startedAt)],
    [t('Ended'), worker.endedAt === null ? null : reader.timeOfDay(worker.endedAt)],
    [t('Exit'), exitText(worker, reader)],
    [
      worker.state === 'parked' ? t('Goes on') : t('Restarts'),
      worker.nextStartAt === null ? null : reader.timeOfDay(worker.nextStartAt),
    ],
    ...engineFacts(worker, reader),
    [t('Retry of'), retryOf(worker)],
    [t('Process'), worker.pid === null ? null : String(worker.pid)],
    ...worker.evidence.map((one): Fact => [one.source, evidenceText(one, reader)]),
  ];
}

function tableRow([name, value]: Fact): string {
  return `| ${escapeMarkdown(name)} | ${escapeMarkdown(plainLine(value ?? ''))} |`;
}

/** A two-column Markdown table of facts; every letter of it is escaped, facts without a value are left out. */
export function factTable(facts: readonly Fact[]): string {
  const rows = facts.filter(([, value]) => value !== null && value !== '');
  return ['| | |', '|:--|:--|', ...rows.map(tableRow)].join('\n');
}

/** Everything known about a worker as a small Markdown table; `lastLine` is the newest line of its log. */
export function workerTooltip(worker: WorkerSnapshot, lastLine: string | null, reader: Reader): string {
  return factTable([...factsOf(worker, reader), [reader.t('Last log line'), lastLine]]);
}
