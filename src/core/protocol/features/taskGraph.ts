import { entriesAt, type JsonRecord, readRecord, textAt, textsAt, wholeAt } from './jsonFields';

/** A task as it was designed. */
export interface GraphTask {
  readonly id: string;
  readonly title: string | null;
  readonly level: number | null;
  readonly dependencies: readonly string[];
}

/** `task-graph.json`: what there is to do, whatever has been started of it. */
export interface TaskGraph {
  /** In the order of the file. */
  readonly tasks: ReadonlyMap<string, GraphTask>;
  readonly levelNames: ReadonlyMap<number, string | null>;
}

/** Reads a task graph; null where it is none. Never throws. */
export function readTaskGraph(text: string): TaskGraph | null {
  const record = readRecord(text);
  if (record === null || !('tasks' in record)) {
    return null;
  }
  const levels = entriesAt(record, 'levels', (item) => String(wholeAt(item, 'level') ?? wholeAt(item, 'id') ?? ''))
    .filter(([name]) => /^\d{1,6}$/.test(name))
    .map(([name, item]) => [Number(name), item] as const);
  const listedLevel = new Map(
    levels.flatMap(([level, item]) => (textsAt(item, 'tasks') ?? []).map((id) => [id, level] as const)),
  );
  const entries = entriesAt(record, 'tasks', (item) => textAt(item, 'id'));
  return {
    tasks: new Map(entries.map(([id, item]) => [id, taskOf(id, item, listedLevel.get(id) ?? null)])),
    levelNames: new Map(levels.map(([level, item]) => [level, textAt(item, 'name')])),
  };
}

function taskOf(id: string, item: JsonRecord, listedLevel: number | null): GraphTask {
  return {
    id,
    title: textAt(item, 'title'),
    level: wholeAt(item, 'level') ?? listedLevel,
    dependencies: textsAt(item, 'dependencies') ?? [],
  };
}
