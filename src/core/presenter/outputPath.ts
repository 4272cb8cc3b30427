import type { WorkerSnapshot } from '../protocol/snapshot';

/** The whole path of a file in a worker's `output/`, by its name among the worker's outputs. */
export function outputPath({ folder }: Pick<WorkerSnapshot, 'folder'>, name: string): string {
  return [folder, 'output', name].join(folder.includes('\\') ? '\\' : '/');
}
