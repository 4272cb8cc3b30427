import type { FeatureWorker } from '../../protocol/features/featureSnapshot';
import { ageSeconds } from '../../protocol/features/instant';
import { formatDuration } from '../formatDuration';
import { plainEnglish, type Translate } from '../words';

/** The worker as it is at a later instant (epoch milliseconds) at which nothing new is known of it. */
export function agedWorker(worker: FeatureWorker, now: number): FeatureWorker {
  const { heartbeat, lastActivityAt, lastCommit } = worker;
  const age = (at: number | null): number | null => (at === null ? null : ageSeconds(at, now));
  return {
    ...worker,
    heartbeat: heartbeat === null ? null : { ...heartbeat, ageSeconds: age(heartbeat.at) },
    lastActivityAgeSeconds: age(lastActivityAt),
    lastCommit: lastCommit === null ? null : { ...lastCommit, ageSeconds: ageSeconds(lastCommit.at, now) },
  };
}

/** What is known of a worker's life, in a few words: `4 s ago`, `last seen 45 s ago`, `silent for 14m 22s`. */
export function workerSeen(worker: FeatureWorker, t: Translate = plainEnglish): string {
  const { liveness, heartbeat, lastActivityAgeSeconds } = worker;
  const age = heartbeat?.ageSeconds ?? lastActivityAgeSeconds;
  const ago = age === null ? null : formatDuration(age * 1000);
  switch (liveness) {
    case 'active':
      return ago === null ? t('active') : t('{0} ago', ago);
    case 'late':
      return ago === null ? t('late') : t('last seen {0} ago', ago);
    case 'stale':
      return ago === null ? t('stale') : t('last seen {0} ago', ago);
    case 'silent':
      return ago === null ? t('silent') : t('silent for {0}', ago);
    case 'no-heartbeat':
      return ago === null ? t('no heartbeat') : t('no heartbeat, active {0} ago', ago);
    case 'stopped':
      return '';
    case 'crashed':
      return endWords(worker, t);
  }
}

function endWords({ containerEnd, processGone }: FeatureWorker, t: Translate): string {
  if (containerEnd !== null) {
    return endOfContainer(containerEnd, t);
  }
  return processGone ? t('its process is gone') : '';
}

function endOfContainer(
  { exitCode, oomKilled, unhealthy }: NonNullable<FeatureWorker['containerEnd']>,
  t: Translate,
): string {
  const code = exitCode === null ? '' : ` (${t('exit {0}', exitCode)})`;
  if (oomKilled) {
    return `${t('its container ran out of memory')}${code}`;
  }
  return unhealthy && (exitCode ?? 0) === 0
    ? t('the process in its container is gone')
    : `${t('its container exited')}${code}`;
}
