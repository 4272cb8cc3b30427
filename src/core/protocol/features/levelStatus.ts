import type { LevelStatus } from './featureSnapshot';
import type { LevelRecord } from './stateDocument';
import { hasBegun } from './taskStatus';

/** What a level is judged by. */
export interface LevelFacts {
  readonly record: LevelRecord | null;
  /** The statuses of its tasks. */
  readonly statuses: readonly string[];
  /** Its tasks, also those of which nothing is known. */
  readonly total: number;
  readonly readable: boolean;
}

/** The status of a level: the first rule that fits (features.md §2). */
export function levelStatus({ record, statuses, total, readable }: LevelFacts): LevelStatus {
  if (!readable) {
    return 'unknown';
  }
  return mergeTrouble(record) ?? endOf(statuses, total, record) ?? courseOf(statuses, record);
}

function mergeTrouble(record: LevelRecord | null): LevelStatus | null {
  switch (record?.mergeStatus ?? null) {
    case 'conflict':
      return 'conflict';
    case 'failed':
    case 'merge_failed':
      return 'merge_failed';
    default:
      return null;
  }
}

function endOf(statuses: readonly string[], total: number, record: LevelRecord | null): LevelStatus | null {
  if (total === 0) {
    // Without its tasks only the state can tell.
    return record?.status === 'complete' ? 'complete' : null;
  }
  const complete = count(statuses, 'complete');
  if (complete === total) {
    return 'complete';
  }
  return complete + count(statuses, 'failed') === total ? 'complete_with_failures' : null;
}

function courseOf(statuses: readonly string[], record: LevelRecord | null): LevelStatus {
  if (record?.status === 'running' || statuses.some(hasBegun)) {
    return 'running';
  }
  return statuses.length > 0 && statuses.every((status) => status === 'unknown') ? 'unknown' : 'pending';
}

/** How often a status occurs. */
export function count(statuses: readonly string[], status: string): number {
  return statuses.filter((one) => one === status).length;
}
