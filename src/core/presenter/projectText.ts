import type { WorkerSnapshot } from '../protocol/snapshot';

/** A text about a worker with the paths of its project cut to what tells them apart: a row is narrow. */
export function projectText(text: string, { folder }: Pick<WorkerSnapshot, 'folder'>): string {
  const [, root] = /^(.*[/\\])\.keysarium[/\\]workers[/\\]/.exec(folder) ?? [];
  return root === undefined ? text : text.replaceAll(root, '');
}
