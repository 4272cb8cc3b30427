import type { Violation } from '../protocol/keeper/isolationRecord';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { HARVEST_DELTA } from '../protocol/workers/harvestDelta';
import { stateWord } from './stateWord';
import { workerDescription } from './workerDescription';
import { hasOutputFuse, type Icon, workerIcon } from './workerIcon';
import type { Reader } from './words';

/** How one worker looks in every surface. */
export interface WorkerRow {
  readonly label: string;
  /** What stands behind the label, e.g. `3/7 scanning · 2m 14s`. */
  readonly description: string;
  readonly icon: Icon;
  /**
   * For menus: `worker.<state>.<owned|foreign>`, then `.retry` where it may be retried, `.session` where its engine's session can be opened, `.fuse` where one blew, `.violation` where protected
   * files changed, `.harvest` with a delta to review, `.outputs` with any output.
   */
  readonly contextValue: string;
  /** The whole row for those who cannot see it. */
  readonly accessibleLabel: string;
}

/** The words of a row joined so that a screen reader pauses between them. */
export function spoken(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .join(', ')
    .replaceAll(' · ', ', ');
}

/** Whether a worker ended with a proposal for TOOLKIT_HARVEST.md that a person can review. */
export function hasHarvest({ state, outputs }: WorkerSnapshot): boolean {
  return state === 'completed' && outputs.includes(HARVEST_DELTA);
}

/** Whether its engine's session can be opened in a terminal: nobody else works in it. */
export function canOpenSession({ engine, endedAt, state }: WorkerSnapshot): boolean {
  return (engine?.sessionId ?? null) !== null && (endedAt !== null || state === 'parked');
}

/** The protected files that changed while the worker ran. */
export function violationsOf({ isolation }: WorkerSnapshot): readonly Violation[] {
  return isolation?.violations ?? [];
}

/** Whether a person can reset a fuse of it: one that ends it, once it has ended. */
export function canResetFuse(worker: WorkerSnapshot): boolean {
  return hasOutputFuse(worker) || (worker.attention?.kind === 'fuse' && worker.endedAt !== null);
}

function marksOf(worker: WorkerSnapshot): readonly string[] {
  return [
    ...(worker.canRetry ? ['retry'] : []),
    ...(canOpenSession(worker) ? ['session'] : []),
    ...(canResetFuse(worker) ? ['fuse'] : []),
    ...(violationsOf(worker).length > 0 ? ['violation'] : []),
    ...(hasHarvest(worker) ? ['harvest'] : []),
    ...(worker.outputs.length > 0 ? ['outputs'] : []),
  ];
}

/** The row of a worker under the given label (see `workerLabels`). */
export function toRow(worker: WorkerSnapshot, label: string, reader: Reader): WorkerRow {
  const description = workerDescription(worker, reader);
  const state = stateWord(worker.state, reader.t);
  const owner = worker.owned ? 'owned' : 'foreign';
  return {
    label,
    description,
    icon: workerIcon(worker),
    contextValue: ['worker', worker.state, owner, ...marksOf(worker)].join('.'),
    accessibleLabel: spoken(label, ...(description.startsWith(state) ? [] : [state]), description),
  };
}
