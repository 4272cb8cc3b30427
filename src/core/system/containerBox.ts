import { join } from 'node:path';
import { boxFolderOf } from './sandboxBox';

/** What is kept beside a worker's container, in the runtime folder; everything in it goes with the run. */
export interface ContainerBox {
  readonly folder: string;
  /** How the container ended, once that is known. */
  readonly endFile: string;
  /** How far its output was copied. */
  readonly positionFile: string;
}

/** Where the box of the worker in `workerFolder` is. */
export function containerBoxOf(runtimeDir: string, workerFolder: string): ContainerBox {
  const folder = boxFolderOf(runtimeDir, workerFolder);
  return { folder, endFile: join(folder, 'end.json'), positionFile: join(folder, 'position') };
}
