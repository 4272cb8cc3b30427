import type { FeatureKind } from './featureSnapshot';
import type { BranchSource, FeatureFile, FeatureSources, StateFile, TaskListSource } from './featureSources';
import { localInstant, type WriterClock } from './instant';
import { listOfFeature, tasksOfList } from './listFacts';
import { isNewer, mergeStates, type MergedState, taskTime } from './mergeStates';
import { type ProgressFacts, progressFacts } from './progressFacts';
import type { ProgressLine } from './progressLog';
import { plainTask } from './readState';
import { type RunEvent, type TaskRecord, unknownWorker, type WorkerRecord } from './stateDocument';
import type { TaskGraph } from './taskGraph';

/** One feature as its own files tell of it, before the files that features share are given to them. */
export interface FeatureDraft {
  readonly name: string;
  readonly kind: FeatureKind;
  readonly source: string | null;
  readonly graph: TaskGraph | null;
  readonly state: MergedState | null;
  /** In the graph's order, then in the state's. */
  readonly tasks: ReadonlyMap<string, TaskRecord>;
  /** Of the state, else of the progress log. */
  readonly workers: ReadonlyMap<string, WorkerRecord>;
  /** Null where it cannot be known. */
  readonly totalTasks: number | null;
  readonly progress: ProgressFacts;
  readonly eventLog: readonly RunEvent[];
  readonly worktreeStateFiles: readonly string[];
  readonly branches: readonly BranchSource[];
  /** As written; of the state, else of the design. */
  readonly startedAt: string | null;
  /** The worker that each task was planned for. */
  readonly planned: ReadonlyMap<string, string>;
}

/** Where the tasks of a feature come from. */
interface TaskSource {
  readonly kind: FeatureKind;
  readonly source: string | null;
  readonly state: MergedState | null;
  readonly tasks: ReadonlyMap<string, TaskRecord>;
  /** What a task of the graph is that the source does not name. */
  readonly unnamed: 'pending' | 'unknown';
}

interface DraftInput {
  readonly sources: FeatureSources;
  readonly clock: WriterClock;
  readonly files: readonly StateFile[];
  readonly progress: ProgressFacts;
  readonly graph: TaskGraph | null;
}

/** Gathers what the files of one feature say. `files` are its states. */
export function draftFeature(
  name: string,
  sources: FeatureSources,
  files: readonly StateFile[],
  clock: WriterClock,
): FeatureDraft {
  const graphFile = sources.graphs.find(({ feature }) => feature === name);
  const graph = graphFile?.value ?? null;
  const lines = linesOf(name, sources, clock);
  const known = knownIds(graph, files);
  const progress = progressFacts(lines, known, clock);
  const graphTorn = graphFile !== undefined && graph === null;
  const from = sourceOf(name, { sources, clock, files, progress, graph });
  const tasks = allTasks(graph, from);
  return {
    name,
    kind: from.kind,
    source: from.source,
    graph,
    state: from.state,
    tasks,
    workers: workersOf(from, progress),
    totalTasks: totalOf(tasks.size, from, graphTorn ? 'torn' : graph),
    progress,
    eventLog: sources.eventLogs.flatMap(({ feature, value }) => (feature === name ? (value ?? []) : [])),
    startedAt: from.state?.startedAt ?? valueOf(sources.started, name),
    planned: valueOf(sources.assignments, name) ?? new Map<string, string>(),
    worktreeStateFiles: files.filter(({ inWorktree }) => inWorktree).map(({ path }) => path),
    branches: sources.branches.filter(({ feature }) => feature === name),
  };
}

function knownIds(graph: TaskGraph | null, files: readonly StateFile[]): ReadonlySet<string> {
  const maps = [graph?.tasks ?? new Map<string, unknown>(), ...files.flatMap(({ value }) => value?.tasks ?? [])];
  return new Set(maps.flatMap((map) => [...map.keys()]));
}

function valueOf<T>(files: readonly FeatureFile<T>[], name: string): T | null {
  return files.find(({ feature }) => feature === name)?.value ?? null;
}

/** A worktree's copy of the log repeats its begin, so with several the lines are put in the order of their times. */
function linesOf(name: string, { progressLogs }: FeatureSources, clock: WriterClock): readonly ProgressLine[] {
  const logs = progressLogs.flatMap(({ feature, value }) => (feature === name && value !== null ? [value] : []));
  const [only] = logs;
  if (only !== undefined && logs.length === 1) {
    return only;
  }
  const distinct = new Map(logs.flat().map((line) => [JSON.stringify(line), line]));
  const timeOf = ({ at }: ProgressLine): number => localInstant(at, clock) ?? 0;
  return [...distinct.values()].sort((a, b) => timeOf(a) - timeOf(b));
}

function sourceOf(name: string, input: DraftInput): TaskSource {
  const { sources, files, progress, graph, clock } = input;
  const state = mergeStates(files, clock);
  if (state !== null) {
    return {
      kind: state.kind,
      source: state.source,
      state,
      tasks: withNewerLines(state, progress, clock),
      unnamed: 'pending',
    };
  }
  const [unread] = files;
  if (unread !== undefined) {
    return { ...nothing, kind: 'unreadable', source: unread.path, unnamed: 'unknown' };
  }
  const log = sources.progressLogs.find(({ feature, value }) => feature === name && (value?.length ?? 0) > 0);
  if (log !== undefined) {
    return { ...nothing, kind: 'progress-md', source: log.path, tasks: progress.tasks };
  }
  const list = graph === null ? null : listOfFeature(sources.taskLists, name, graph);
  if (list !== null && graph !== null) {
    return fromList(list, graph);
  }
  const torn = tornSource(name, input);
  return torn === null ? nothing : { ...nothing, kind: 'unreadable', source: torn, unnamed: 'unknown' };
}

const nothing: TaskSource = { kind: 'designed', source: null, state: null, tasks: new Map(), unnamed: 'pending' };

function fromList(list: TaskListSource, graph: TaskGraph): TaskSource {
  const unnamed = list.torn.length > 0 ? 'unknown' : 'pending';
  return { ...nothing, kind: 'claude-tasks', source: list.path, tasks: tasksOfList(list, graph), unnamed };
}

/** The file that would tell something if it could be read, where no other does. */
function tornSource(name: string, { sources }: DraftInput): string | null {
  const files = [...sources.progressLogs, ...sources.graphs];
  return files.find(({ feature, value }) => feature === name && value === null)?.path ?? null;
}

/** A worker's own line about a task counts where it is newer than what the state says of it. */
function withNewerLines(
  state: MergedState,
  { tasks }: ProgressFacts,
  clock: WriterClock,
): ReadonlyMap<string, TaskRecord> {
  const merged = new Map(state.tasks);
  for (const [id, told] of tasks) {
    const known = merged.get(id);
    if (known !== undefined && isNewer(taskTime(told, clock), taskTime(known, clock))) {
      const { status, worker, error, updatedAt } = told;
      merged.set(id, { ...known, status, worker, error, updatedAt });
    }
  }
  return merged;
}

function allTasks(graph: TaskGraph | null, { tasks, unnamed }: TaskSource): ReadonlyMap<string, TaskRecord> {
  const designed = [...(graph?.tasks.values() ?? [])].map(({ id, level, title }) => {
    const told = tasks.get(id) ?? plainTask(id, unnamed);
    return [id, { ...told, level: level ?? told.level, title: title ?? told.title }] as const;
  });
  const all = new Map(designed);
  for (const [id, task] of tasks) {
    if (!all.has(id)) {
      all.set(id, task);
    }
  }
  return all;
}

function workersOf({ state, kind }: TaskSource, { workers }: ProgressFacts): ReadonlyMap<string, WorkerRecord> {
  if (state !== null) {
    return state.workers;
  }
  return kind === 'progress-md'
    ? new Map([...workers].map(([key, currentTask]) => [key, loggedWorker(key, currentTask)]))
    : new Map();
}

/** It runs, for nothing in a progress log says that a worker ended. */
function loggedWorker(key: string, currentTask: string | null): WorkerRecord {
  return { ...unknownWorker(key), status: 'running', currentTask };
}

/** A state lists only the tasks of levels that have begun, so without the graph the run's own word is asked. */
function totalOf(known: number, { state, kind }: TaskSource, graph: TaskGraph | 'torn' | null): number | null {
  const told = state?.events.findLast(({ totalTasks }) => totalTasks !== null)?.totalTasks ?? null;
  if (graph === 'torn') {
    return told === null ? null : Math.max(known, told);
  }
  if (graph === null && kind === 'unreadable') {
    return null;
  }
  return graph === null ? Math.max(known, told ?? 0) : known;
}
