import type { WorkerSnapshot } from '../protocol/snapshot';
import { MAX_RETRIES } from '../protocol/workers/retryRule';
import { costWords, doingWords, refusedWords } from './engineWords';
import { failureCause } from './failureCause';
import { formatDuration } from './formatDuration';
import { plainLine } from './plainText';
import { projectText } from './projectText';
import { finalCount, shortProgress } from './progressWords';
import { ageOf, backoffWords, clockTime, joined, parkedWords, stoppedWords, stoppingWords } from './rowWords';
import { isAsking } from './workerIcon';
import type { Reader, Translate } from './words';

function asking(worker: WorkerSnapshot, { t }: Reader): string {
  const kind = worker.attention?.kind;
  const text = plainLine(projectText(worker.problem ?? worker.attention?.text ?? '', worker));
  return worker.problem === null && (kind === 'question' || kind === 'permission') ? t('asks: {0}', text) : text;
}

function running(worker: WorkerSnapshot, reader: Reader): string {
  const { t } = reader;
  if (worker.health === 'flooding') {
    return joined(t('flooding its log'), ageOf(worker.startedAt, reader));
  }
  if (worker.health !== 'ok') {
    return t('last seen {0} ago', ageOf(worker.lastSeenAt ?? worker.startedAt, reader));
  }
  const progress = shortProgress(worker.progress);
  const doing = worker.engine === null ? null : doingWords(worker.engine, t);
  const shown = progress === '' && doing === null ? t('running') : progress;
  return joined(shown, doing, ageOf(worker.startedAt, reader), refused(worker, t));
}

function completed(worker: WorkerSnapshot, reader: Reader): string {
  const { t } = reader;
  const done = finalCount(worker.progress);
  const counted = worker.entry.type === 'health-check' && done !== '' ? t('{0} checks', total(done)) : done;
  const took = worker.endedAt === null ? null : formatDuration(worker.endedAt - worker.startedAt);
  const cost = worker.engine === null ? null : costWords(worker.engine.usage);
  return joined(counted === '' ? t('completed') : counted, took, cost, refused(worker, t));
}

function refused({ engine }: WorkerSnapshot, t: Translate): string | null {
  return engine === null ? null : refusedWords(engine, t);
}

function total(done: string): string {
  return done.includes('/') ? done : `${done}/${done}`;
}

function ofState(worker: WorkerSnapshot, reader: Reader): string {
  switch (worker.state) {
    case 'starting':
      return joined(reader.t('starting'), ageOf(worker.startedAt, reader));
    case 'running':
      return running(worker, reader);
    case 'stopping':
      return stoppingWords(worker, reader);
    case 'completed':
      return completed(worker, reader);
    case 'failed':
      return joined(failureCause(worker, reader.t), clockTime(worker.endedAt, reader));
    case 'stopped':
      return stoppedWords(worker, reader);
    case 'unknown':
      return reader.t('no sign of life, no exit seen');
    case 'backoff':
      return backoffWords({ at: worker.nextStartAt, nth: worker.entry.retry_count + 1, of: MAX_RETRIES }, reader);
    case 'parked':
      return parkedWords(worker, reader);
  }
}

/** What stands behind a worker's name, number first (surfaces.md, "How a row looks"). */
export function workerDescription(worker: WorkerSnapshot, reader: Reader): string {
  return isAsking(worker) ? asking(worker, reader) : ofState(worker, reader);
}
