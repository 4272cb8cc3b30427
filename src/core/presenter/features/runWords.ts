import type { FeaturePhase, LevelStatus, Liveness } from '../../protocol/features/featureSnapshot';
import { plainLine } from '../plainText';
import type { Translate } from '../words';

const WORD_LIMIT = 40;

/** A worker's or task's status in the reader's language; a word that the protocol does not know, as it is written. */
export function statusWords(status: string, t: Translate): string {
  return ofWorkers(status, t) ?? ofTasks(status, t) ?? plainLine(status.replaceAll('_', ' '), WORD_LIMIT);
}

function ofWorkers(status: string, t: Translate): string | null {
  switch (status) {
    case 'initializing':
      return t('initializing');
    case 'ready':
      return t('ready');
    case 'running':
      return t('running');
    case 'idle':
      return t('idle');
    case 'checkpointing':
      return t('checkpointing');
    case 'stopping':
      return t('stopping');
    case 'stopped':
      return t('stopped');
    case 'crashed':
      return t('crashed');
    case 'stalled':
      return t('stalled');
    case 'unknown':
      return t('unknown');
    default:
      return null;
  }
}

function ofTasks(status: string, t: Translate): string | null {
  switch (status) {
    case 'todo':
    case 'pending':
      return t('pending');
    case 'claimed':
      return t('claimed');
    case 'in_progress':
      return t('in progress');
    case 'verifying':
      return t('verifying');
    case 'complete':
      return t('complete');
    case 'failed':
      return t('failed');
    case 'blocked':
      return t('blocked');
    case 'paused':
      return t('paused');
    case 'waiting_retry':
      return t('waits for its retry');
    default:
      return null;
  }
}

/** How a worker's life is judged, in a word. */
export function livenessWord(liveness: Liveness, t: Translate): string {
  switch (liveness) {
    case 'active':
      return t('active');
    case 'late':
      return t('late');
    case 'stale':
      return t('stale');
    case 'silent':
      return t('silent');
    case 'no-heartbeat':
      return t('no heartbeat');
    case 'stopped':
      return t('stopped');
    case 'crashed':
      return t('crashed');
  }
}

/** A feature's phase in a few words. */
export function phaseWord(phase: FeaturePhase, t: Translate): string {
  switch (phase) {
    case 'unreadable':
      return t('cannot be read');
    case 'designed':
      return t('designed, not started');
    case 'complete':
      return t('complete');
    case 'complete_with_failures':
      return t('complete with failures');
    case 'paused':
      return t('paused');
    case 'orphaned':
      return t('orphaned');
    case 'executing':
      return t('executing');
  }
}

/** A level's status in a few words. */
export function levelWord(status: LevelStatus, t: Translate): string {
  switch (status) {
    case 'conflict':
      return t('merge conflict');
    case 'merge_failed':
      return t('merge failed');
    case 'complete':
      return t('complete');
    case 'complete_with_failures':
      return t('complete with failures');
    case 'running':
      return t('running');
    case 'pending':
      return t('pending');
    case 'unknown':
      return t('cannot be read');
  }
}
