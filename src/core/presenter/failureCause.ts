import type { ExitClass, ExitRecord } from '../protocol/keeper/exitRecord';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { plainLine } from './plainText';
import type { Translate } from './words';

const SHORT_ERROR = 24;

function nameOf(exit: ExitClass, t: Translate): string | null {
  switch (exit) {
    case 'never started':
      return t('never started');
    case 'exit 0 unconnected':
      return t('never connected');
    case 'rate limited':
      return t('rate limited');
    case 'auth':
      return t('not signed in');
    case 'config':
      return t('bad configuration');
    case 'not installed':
      return t('not installed');
    case 'out of memory':
      return t('out of memory');
    case 'killed by someone else':
      return t('killed');
    case 'unknown exit':
      return t('end not seen');
    case 'crash':
    case 'done':
    case 'asked to stop':
      return null;
  }
}

/** ` (exit 3)`, ` (SIGKILL)`, or nothing where no exit was seen. */
export function exitEnding(exit: ExitRecord | null, t: Translate): string {
  if (exit !== null && exit.signal !== null) {
    return ` (${plainLine(exit.signal, 12)})`;
  }
  return exit === null || exit.code === null || exit.code === 0 ? '' : ` (${t('exit {0}', exit.code)})`;
}

/**
 * Why a worker failed, in two words with its exit where one was seen: `out of memory (SIGKILL)`, `disk full (exit 3)`.
 * The class of the exit says it best, then the worker's own error where that is short.
 */
export function failureCause(worker: Pick<WorkerSnapshot, 'error' | 'exit'>, t: Translate): string {
  const error = plainLine(worker.error ?? '');
  const own = error !== '' && [...error].length <= SHORT_ERROR ? error : null;
  const named = worker.exit === null ? null : nameOf(worker.exit.class, t);
  return `${named ?? own ?? (worker.exit?.class === 'crash' ? t('crashed') : t('failed'))}${exitEnding(worker.exit, t)}`;
}
