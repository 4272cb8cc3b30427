import type { WorkerSnapshot } from '../protocol/snapshot';
import { hasOutputFuse } from './workerIcon';
import type { Translate } from './words';

/**
 * The next sensible actions about a worker, the most helpful first; each a sentence that says what to do. Pure: the
 * same worker reads the same on every surface (lifecycle §4).
 */
export function nextActions(worker: WorkerSnapshot, t: Translate): readonly string[] {
  switch (worker.state) {
    case 'completed':
      return [...forOutputFuse(worker, t), t('Look at its output.')];
    case 'starting':
    case 'running':
      return [
        ...forAsks(worker, t),
        ...forHealth(worker, t),
        ...forOutputFuse(worker, t),
        t('Wait, or follow its log.'),
        t('Stop it if it should not go on.'),
      ];
    case 'stopping':
      return [t('Wait for its end, or stop it with force.')];
    case 'backoff':
    case 'parked':
      return [
        ...forFailure(worker, t),
        t('Wait: it is started again by itself.'),
        t('Stop it if it should not come again.'),
      ];
    case 'stopped':
      return [
        ...forFuse(worker, t),
        ...forOutputFuse(worker, t),
        worker.canRetry ? t('Retry it.') : t('Start a new worker of this type when you want it to go on.'),
      ];
    case 'failed':
      return [
        ...forFailure(worker, t),
        worker.canRetry ? t('Retry it.') : t('Start a new worker of this type when you want it to go on.'),
      ];
    case 'unknown':
      return [t('Read the end of its log: nobody saw how it ended.'), t('Retry it if its output is incomplete.')];
  }
}

function forAsks({ engine }: WorkerSnapshot, t: Translate): readonly string[] {
  return (engine?.asks.length ?? 0) === 0 ? [] : [t('Answer what it asks: it waits for you.')];
}

/** What helps where a fuse ended it; nothing where none blew. */
export function forFuse(
  { fuses, attention }: Pick<WorkerSnapshot, 'fuses' | 'attention'>,
  t: Translate,
): readonly string[] {
  return (fuses?.blown ?? null) === null
    ? []
    : [
        t('Raise its limit in .vscode/workers.json, or give it less to do: a fuse ended it.'),
        ...(attention?.kind === 'fuse' ? [t('Reset its fuse; then it can be retried.')] : []),
      ];
}

function forOutputFuse(worker: WorkerSnapshot, t: Translate): readonly string[] {
  return hasOutputFuse(worker)
    ? [t('A part of its output was dropped: raise limits.outputMB, or make it quieter. Then reset its fuse.')]
    : [];
}

function forHealth({ health }: WorkerSnapshot, t: Translate): readonly string[] {
  switch (health) {
    case 'flooding':
      return [t('It writes more than is kept: make its output quieter.')];
    case 'late':
    case 'silent':
    case 'stale':
      return [t('It gives no sign of progress: read the end of its log.')];
    case 'ok':
      return [];
  }
}

/** What helps against an end of this kind. */
export function forFailure(
  { exit, logFile }: Pick<WorkerSnapshot, 'exit' | 'logFile'>,
  t: Translate,
): readonly string[] {
  switch (exit?.remedy) {
    case 'check configuration':
      return [t('Check the model and the settings of its engine.')];
    case 'raise limit':
      return [t('Raise the limit that its engine was given.')];
    case 'retry':
      return [t('Its service failed: try again later.')];
    case 'log in':
    case 'wait':
    case undefined:
      return forClass({ exit, logFile }, t);
  }
}

function forClass({ exit, logFile }: Pick<WorkerSnapshot, 'exit' | 'logFile'>, t: Translate): readonly string[] {
  switch (exit?.class) {
    case 'not installed':
      return [t('Install the program of its command, or correct the command in .vscode/workers.json.')];
    case 'config':
      return [t('Correct its command in .vscode/workers.json.')];
    case 'auth':
      return [t('Sign in to the engine in a terminal; `rollcall doctor` says how.')];
    case 'out of memory':
      return [t('Give it less to do at once, or free memory.')];
    case 'killed by someone else':
      return [t('Find out who ended it: it was no one here.')];
    case 'rate limited':
      return [t('Wait until the limit is over.')];
    case 'never started':
    case 'exit 0 unconnected':
      return [t('Run its command in a terminal to see why it does not start.')];
    default:
      return [t('Read the end of its log: {0}', logFile)];
  }
}
