import type { TaskListSource } from './featureSources';
import { plainTask } from './readState';
import type { TaskRecord } from './stateDocument';
import type { TaskGraph } from './taskGraph';
import { leveledTitle, namesFeature, statusOfItem } from './taskList';

/** The tasks of a list in a feature's own ids: by level and title from the graph, else `TASK-<n>`. */
export function tasksOfList({ items }: TaskListSource, graph: TaskGraph): ReadonlyMap<string, TaskRecord> {
  const ids = idsByTitle(graph);
  const tasks = items.flatMap((item) => {
    const leveled = leveledTitle(item);
    if (leveled === null) {
      return [];
    }
    const { level, title } = leveled;
    const id = ids.get(titleKey(level, title)) ?? `TASK-${item.id}`;
    return [[id, { ...plainTask(id, statusOfItem(item)), level, title }] as const];
  });
  return new Map(tasks);
}

/**
 * The list that belongs to a feature: one that names it and has items with a level; of several the one with most titles
 * of the graph, then the newest.
 */
export function listOfFeature(
  lists: readonly TaskListSource[],
  feature: string,
  graph: TaskGraph,
): TaskListSource | null {
  const ids = idsByTitle(graph);
  const best = lists
    .filter((list) => belongs(list, feature))
    .map((list) => ({ list, known: knownTitles(list, ids) }))
    .reduce<RatedList | null>((known, rated) => (known === null || isBetter(rated, known) ? rated : known), null);
  return best?.list ?? null;
}

interface RatedList {
  readonly list: TaskListSource;
  readonly known: number;
}

function isBetter(one: RatedList, than: RatedList): boolean {
  return one.known === than.known ? one.list.mtimeMs > than.list.mtimeMs : one.known > than.known;
}

function belongs({ items }: TaskListSource, feature: string): boolean {
  return (
    items.some((item) => leveledTitle(item) !== null) &&
    items.some(({ subject, description }) => namesFeature(subject, feature) || namesFeature(description, feature))
  );
}

function knownTitles({ items }: TaskListSource, ids: ReadonlyMap<string, string>): number {
  return items.filter((item) => {
    const leveled = leveledTitle(item);
    return leveled !== null && ids.has(titleKey(leveled.level, leveled.title));
  }).length;
}

function idsByTitle({ tasks }: TaskGraph): ReadonlyMap<string, string> {
  const titled = [...tasks.values()].flatMap(({ id, level, title }) =>
    level === null || title === null ? [] : [[titleKey(level, title.trim()), id] as const],
  );
  return new Map(titled);
}

function titleKey(level: number, title: string): string {
  return `${String(level)} ${title}`;
}
