import type { WorkerStateKind } from '../protocol/snapshot';
import type { Translate } from './words';

/** The word a person uses for a state, in their language. */
export function stateWord(state: WorkerStateKind, t: Translate): string {
  switch (state) {
    case 'starting':
      return t('starting');
    case 'running':
      return t('running');
    case 'stopping':
      return t('stopping');
    case 'backoff':
      return t('waits to restart');
    case 'parked':
      return t('parked');
    case 'completed':
      return t('completed');
    case 'failed':
      return t('failed');
    case 'stopped':
      return t('stopped');
    case 'unknown':
      return t('unknown');
  }
}
