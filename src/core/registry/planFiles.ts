import { join } from 'node:path';
import type { Clock } from '../base/clock';
import type { RandomHex } from '../base/randomId';
import { fail, ok, type Result } from '../base/result';
import {
  formatScheduleDocument,
  readScheduleDocument,
  SCHEDULES_MAX_BYTES,
  type ScheduleRecords,
} from '../protocol/workers/scheduleDocument';
import {
  formatSuggestionDocument,
  nothingRemembered,
  readSuggestionDocument,
  type SuggestionMemory,
  SUGGESTIONS_MAX_BYTES,
} from '../protocol/workers/suggestionDocument';
import { writeFileAtomic } from '../system/atomicFile';
import { readBounded } from '../system/boundedRead';
import { withFileLock } from '../system/fileLock';
import { refusalOf, type RegistryRefusal } from './registryRefusal';

const LOCK_WAIT_MS = 5_000;

export interface PlanFilesOptions {
  readonly workersDir: string;
  readonly clock: Clock;
  readonly randomHex: RandomHex;
}

/**
 * What we remember beside the registry: `schedules.json`, which only the leader writes, and `suggestions.json`, which
 * whoever holds its lock writes. No other reader of the protocol needs either.
 */
export interface PlanFiles {
  /** Empty where there is no such file or it is not ours. */
  readSchedules(): Promise<ScheduleRecords>;
  /** Replaces the file at once; rejects with the system's error. */
  writeSchedules(records: ScheduleRecords): Promise<void>;
  readSuggestions(): Promise<SuggestionMemory>;
  /** Changes what is remembered, under the lock. */
  updateSuggestions(change: (memory: SuggestionMemory) => SuggestionMemory): Promise<Result<null, RegistryRefusal>>;
}

/** Opens the files of a workers folder. Touches none of them. */
export function openPlanFiles({ workersDir, clock, randomHex }: PlanFilesOptions): PlanFiles {
  const schedules = join(workersDir, 'schedules.json');
  const suggestions = join(workersDir, 'suggestions.json');
  const readSuggestions = async (): Promise<SuggestionMemory> => {
    const file = await readBounded(suggestions, SUGGESTIONS_MAX_BYTES);
    return file.kind === 'ok' ? readSuggestionDocument(file.text) : nothingRemembered;
  };
  return {
    readSchedules: async () => {
      const file = await readBounded(schedules, SCHEDULES_MAX_BYTES);
      return file.kind === 'ok' ? readScheduleDocument(file.text) : new Map();
    },
    writeSchedules: async (records) => {
      await writeFileAtomic(schedules, formatScheduleDocument(records), { fsync: true });
    },
    readSuggestions,
    updateSuggestions: async (change) => {
      try {
        const write = async (): Promise<void> => {
          await writeFileAtomic(suggestions, formatSuggestionDocument(change(await readSuggestions())));
        };
        await withFileLock(`${suggestions}.lock`, write, { clock, randomHex, waitMs: LOCK_WAIT_MS });
        return ok(null);
      } catch (error) {
        return fail(refusalOf(error, 'remember this', suggestions));
      }
    },
  };
}
