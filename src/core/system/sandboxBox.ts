import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The private folder of one sandboxed run, in the runtime folder; everything in it goes with the run. */
export interface SandboxBox {
  readonly folder: string;
  /** The sandbox's policy. */
  readonly settingsFile: string;
  /** Where the sandbox's own program works and keeps its sockets. */
  readonly serviceFolder: string;
  /** The worker's temporary folder, the one place in the box that it may write to. */
  readonly tempFolder: string;
  /** The exit code of the worker itself: the sandbox's program says 0 when a SIGTERM ended it. */
  readonly exitFile: string;
}

/** The private folder of the run of the worker in `workerFolder`. Short, because the paths of sockets are limited. */
export function boxFolderOf(runtimeDir: string, workerFolder: string): string {
  const hash = createHash('sha256').update(workerFolder).digest('hex').slice(0, 20);
  return join(runtimeDir, `${hash}.box`);
}

/** Where the box of the worker in `workerFolder` is. */
export function sandboxBoxOf(runtimeDir: string, workerFolder: string): SandboxBox {
  const folder = boxFolderOf(runtimeDir, workerFolder);
  const tempFolder = join(folder, 'tmp');
  return {
    folder,
    settingsFile: join(folder, 'settings.json'),
    serviceFolder: join(folder, 'srt'),
    tempFolder,
    exitFile: join(tempFolder, '.rollcall-exit'),
  };
}

/** In the environment of the worker and its children, and not in that of the sandbox around them. */
export const INSIDE_SANDBOX = 'ROLLCALL_INSIDE=1';
