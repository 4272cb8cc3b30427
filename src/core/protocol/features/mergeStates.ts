import type { StateFile } from './featureSources';
import { localInstant, newestOf, type WriterClock } from './instant';
import type { LevelRecord, RunEvent, StateDocument, StateKind, TaskRecord, WorkerRecord } from './stateDocument';

/** All readable states of one feature as one. */
export interface MergedState {
  /** Of the first that is readable; it also says what has no time of its own. */
  readonly kind: StateKind;
  readonly source: string;
  readonly startedAt: string | null;
  readonly currentLevel: number | null;
  readonly paused: boolean;
  readonly error: string | null;
  readonly tasks: ReadonlyMap<string, TaskRecord>;
  readonly workers: ReadonlyMap<string, WorkerRecord>;
  readonly levels: ReadonlyMap<number, LevelRecord>;
  readonly events: readonly RunEvent[];
}

/**
 * Merges the states of one feature: of each task and worker the newest entry counts, and the earlier file where nothing
 * tells which is newer (features.md §1). Null where none is readable.
 */
export function mergeStates(files: readonly StateFile[], clock: WriterClock): MergedState | null {
  const readable = files.flatMap(({ path, value }) => (value === null ? [] : [{ path, value }]));
  const [first] = readable;
  if (first === undefined) {
    return null;
  }
  const documents = readable.map(({ value }) => value);
  const { kind, startedAt, currentLevel, paused, error, levels } = first.value;
  return {
    kind,
    source: first.path,
    startedAt,
    currentLevel,
    paused,
    error,
    levels,
    tasks: newestEntries(
      documents.map(({ tasks }) => tasks),
      (task) => taskTime(task, clock),
    ),
    workers: newestEntries(
      documents.map(({ workers }) => workers),
      (worker) => workerTime(worker, clock),
    ),
    events: distinctEvents(documents),
  };
}

/** When a task last changed; epoch milliseconds, null where it has no time. */
export function taskTime(task: TaskRecord, clock: WriterClock): number | null {
  const { updatedAt, completedAt, startedAt, claimedAt } = task;
  return newestOf([updatedAt, completedAt, startedAt, claimedAt].map((text) => localInstant(text, clock)));
}

/** When a worker's own entry last tells of something; epoch milliseconds. */
export function workerTime(worker: WorkerRecord, clock: WriterClock): number | null {
  const { readyAt, startedAt, healthCheckAt, lastTaskCompletedAt } = worker;
  return newestOf([readyAt, startedAt, healthCheckAt, lastTaskCompletedAt].map((text) => localInstant(text, clock)));
}

/** By key, the entry with the newest time of all maps. */
function newestEntries<K, V>(
  maps: readonly ReadonlyMap<K, V>[],
  timeOf: (value: V) => number | null,
): ReadonlyMap<K, V> {
  const [first = new Map<K, V>(), ...rest] = maps;
  const merged = new Map(first);
  for (const [key, value] of rest.flatMap((map) => [...map])) {
    const known = merged.get(key);
    if (known === undefined || isNewer(timeOf(value), timeOf(known))) {
      merged.set(key, value);
    }
  }
  return merged;
}

/** Whether the first time is known and later; nothing is later than itself. */
export function isNewer(time: number | null, than: number | null): boolean {
  return time !== null && (than === null || time > than);
}

/** A copy of a state repeats its events. */
function distinctEvents(documents: readonly StateDocument[]): readonly RunEvent[] {
  const [first] = documents;
  if (first !== undefined && documents.length === 1) {
    return first.events;
  }
  const all = documents.flatMap(({ events }) => events);
  return [...new Map(all.map((event) => [JSON.stringify(event), event])).values()];
}
