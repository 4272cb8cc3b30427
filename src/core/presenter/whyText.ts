import type { EngineSnapshot } from '../protocol/engines/engineSnapshot';
import { blownIn, fuseText } from '../protocol/keeper/fuse';
import type { ExitRecord } from '../protocol/keeper/exitRecord';
import type { Evidence, WorkerSnapshot } from '../protocol/snapshot';
import { failureCause } from './failureCause';
import { formatDuration } from './formatDuration';
import { nextActions } from './nextActions';
import { outputPath } from './outputPath';
import { plainLine, plainLog } from './plainText';
import { stateWord } from './stateWord';
import { evidenceText } from './workerTooltip';
import type { Reader, Translate } from './words';

const MEGABYTE = 1024 * 1024;

/** The cause of death, or of life, as plain text for a terminal or a read-only document (lifecycle §4). */
export function whyText(worker: WorkerSnapshot, lastLines: readonly string[], reader: Reader): string {
  const { t } = reader;
  return whyDocument(
    {
      head: [headline(worker, reader), ...exitLines(worker, reader)],
      results: resultsOf(worker, t),
      evidence: worker.evidence,
      actions: nextActions(worker, t),
      lastLines,
    },
    reader,
  );
}

/** What it left: its output files with their whole paths, and what its program wrote elsewhere. */
function resultsOf(worker: WorkerSnapshot, t: Translate): readonly WhySection[] {
  return [
    { heading: t('Output'), lines: worker.outputs.map((name) => plainLine(outputPath(worker, name), 1_000)) },
    filesWritten(worker.engine, t),
  ];
}

/** What an engine's program wrote, wherever that lies; the latest last. */
export function filesWritten(engine: EngineSnapshot | null, t: Translate): WhySection {
  return { heading: t('Files written'), lines: (engine?.files ?? []).map((path) => plainLine(path, 1_000)) };
}

/** Lines under a heading; nothing at all where there are none. */
export interface WhySection {
  readonly heading: string;
  readonly lines: readonly string[];
}

/** What the answer to *Why?* is made of, whatever it is about. */
export interface WhyParts {
  readonly head: readonly string[];
  readonly results: readonly WhySection[];
  readonly evidence: readonly Evidence[];
  readonly actions: readonly string[];
  readonly lastLines: readonly string[];
}

/** The parts in their order, each under its heading. */
export function whyDocument({ head, results, evidence, actions, lastLines }: WhyParts, reader: Reader): string {
  const { t } = reader;
  const sections = [
    ...head,
    '',
    ...results.flatMap(sectionLines),
    t('Evidence'),
    ...evidence.map((one) => `  ${sourceText(one, reader)}`),
    '',
    t('Next'),
    ...actions.map((action) => `  ${action}`),
    '',
    ...logLines(lastLines, reader),
  ];
  return sections.join('\n');
}

function sectionLines({ heading, lines }: WhySection): readonly string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map((line) => (line === '' ? '' : `  ${line}`)), ''];
}

function headline(worker: WorkerSnapshot, { t }: Reader): string {
  const cause = ['failed', 'backoff'].includes(worker.state) ? `: ${failureCause(worker, t)}` : '';
  return `${worker.workerId} · ${worker.entry.type} · ${stateWord(worker.state, t)}${cause}`;
}

function exitLines(worker: WorkerSnapshot, { t, now, dayAndTime }: Reader): readonly string[] {
  const { exit, error, startedAt, endedAt } = worker;
  const ran = t('Ran {0}, from {1}', formatDuration((endedAt ?? now) - startedAt), dayAndTime(startedAt));
  const said = error === null ? [] : [t('Last message: {0}', plainLine(error))];
  return [ran, ...howItEnded(exit, t), ...measured(worker, t), ...said];
}

/** How an exit came about, in lines; none where none was seen. */
export function howItEnded(exit: ExitRecord | null, t: Translate): readonly string[] {
  if (exit === null) {
    return [];
  }
  const how = t('Exit: {0}', [exit.class, exitSign(exit)].filter((part) => part !== '').join(', '));
  const by = exit.requestedBy === null ? [] : [t('Asked to stop by {0}', plainLine(exit.requestedBy))];
  return [how, ...by, ...(exit.forced ? [t('It had to be ended by force.')] : [])];
}

function measured({ fuses }: WorkerSnapshot, t: Translate): readonly string[] {
  const [peakBytes, blown] = [fuses?.peakBytes ?? null, blownIn(fuses)];
  return [
    ...(blown === null ? [] : [t('Fuse blown: {0}', fuseText(blown))]),
    ...(peakBytes === null ? [] : [t('Peak memory: {0} MB', Math.ceil(peakBytes / MEGABYTE))]),
  ];
}

function exitSign({ code, signal }: ExitRecord): string {
  return signal !== null ? plainLine(signal) : code !== null ? `exit ${String(code)}` : '';
}

function sourceText(evidence: Evidence, reader: Reader): string {
  return `${evidence.source}: ${evidenceText(evidence, reader)}`;
}

function logLines(lines: readonly string[], { t }: Reader): readonly string[] {
  return lines.length === 0
    ? [t('No log lines.')]
    : [t('Last {0} log lines', lines.length), ...lines.map((line) => `  ${plainLog(line)}`)];
}
