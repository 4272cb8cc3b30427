import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskListSource } from '../../protocol/features/featureSources';
import { readTaskListItem } from '../../protocol/features/taskList';
import type { FileTeller } from './fileTeller';
import { foldersIn } from './projectPlaces';

/** A home collects the lists of all its sessions; a run that is still of interest is among the newest. */
const MAX_LISTS = 50;
const MAX_ITEMS = 1_000;
const ITEM_MAX_BYTES = 256 * 1024;

interface ListFolder {
  readonly folder: string;
  readonly mtimeMs: number;
}

/** Reads the newest task lists of these homes. */
export async function readTaskLists(files: FileTeller, homes: readonly string[]): Promise<readonly TaskListSource[]> {
  const folders = (await Promise.all(homes.map(async (home) => listFolders(join(home, '.claude', 'tasks'))))).flat();
  const newest = folders.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, MAX_LISTS);
  const lists = await Promise.all(newest.map(async ({ folder }) => readList(files, folder)));
  return lists.filter(({ items }) => items.length > 0);
}

async function listFolders(tasks: string): Promise<readonly ListFolder[]> {
  const folders = (await foldersIn(tasks)).map(async (name) => {
    const folder = join(tasks, name);
    const stat = await lstat(folder).catch(() => null);
    return stat === null ? [] : [{ folder, mtimeMs: stat.mtimeMs }];
  });
  return (await Promise.all(folders)).flat();
}

async function readList(files: FileTeller, folder: string): Promise<TaskListSource> {
  const names = await readdir(folder).catch(() => []);
  const numbers = names.flatMap((name) => /^(\d{1,9})\.json$/.exec(name)?.[1] ?? []).map(Number);
  const told = numbers
    .sort((a, b) => a - b)
    .slice(0, MAX_ITEMS)
    .map(async (number) => {
      const parse = (text: string): ReturnType<typeof readTaskListItem> => readTaskListItem(text, String(number));
      const path = join(folder, `${String(number)}.json`);
      return { path, reading: await files.look({ path, maxBytes: ITEM_MAX_BYTES, parse }) };
    });
  const items = await Promise.all(told);
  const times = items.map(({ reading }) => (reading.kind === 'absent' ? 0 : reading.mtimeMs));
  return {
    path: files.shown(folder),
    items: items.flatMap(({ reading }) => (reading.kind === 'ok' ? [reading.value] : [])),
    torn: items.filter(({ reading }) => reading.kind === 'unreadable').map(({ path }) => files.shown(path)),
    mtimeMs: Math.max(0, ...times),
  };
}
