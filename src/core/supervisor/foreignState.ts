import type { RegistryStatus } from '../protocol/workers/registryEntry';
import { neverRestart } from './restartPolicy';
import { saidState } from './settle';
import { initialState, type WorkerState } from './workerState';

/**
 * The state of a worker without a keeper, e.g. an agent that a model started: nobody of ours sees its process, so its
 * state is a reading of the protocol's word (workers.md §4.4, §4.6) and not a course of events.
 */
export function foreignState(word: RegistryStatus): WorkerState {
  const open = { process: null, word: null, restarts: neverRestart } as const;
  switch (word) {
    case 'starting':
      return { kind: 'starting', health: 'ok', limitedUntil: null, ...open };
    case 'running':
    case 'completing':
      return { kind: 'running', health: 'ok', limitedUntil: null, ...open };
    case 'stop-requested':
      return { kind: 'stopping', wish: null, step: 'asked', ...open };
    case 'completed':
    case 'failed':
    case 'stopped':
      return saidState(word, null, null);
    case 'unknown':
      return initialState(neverRestart);
  }
}
