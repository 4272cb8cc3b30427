import { access, constants, lstat, mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { errorCode } from '../base/errorText';
import { fail, ok, type Result } from '../base/result';
import { isWorkerId } from '../protocol/workers/workerId';
import { confinedPath } from '../system/safePath';
import { refusalOf, type RegistryRefusal } from './registryRefusal';

/** Where the protocol keeps registry and workers, relative to the root. */
const WORKERS_ROOT = '.keysarium/workers';

/** The files of one worker, all absolute. */
export interface WorkerPaths {
  readonly folder: string;
  readonly statusFile: string;
  readonly stopFlag: string;
  readonly outputDir: string;
  readonly errorLog: string;
  readonly keeperFile: string;
  readonly logFile: string;
}

/**
 * The folder that holds registry and workers, which need not exist. Refuses one that leads out of the project
 * through a link (workers.md §4.14).
 */
export async function resolveWorkersDir(root: string): Promise<Result<string, RegistryRefusal>> {
  const confined = await confinedPath(root, WORKERS_ROOT);
  return confined.ok
    ? confined
    : fail({
        code: 'unsafe-root',
        message: `The workers folder is refused. ${confined.error} Put a real folder inside the project there.`,
      });
}

/**
 * Makes the workers folder for the first start, and refuses one that this process may not write into. Only a start may
 * call this: a look creates nothing.
 */
export async function ensureWorkersDir(workersDir: string): Promise<Result<string, RegistryRefusal>> {
  try {
    await makeFolder(workersDir);
    await access(workersDir, constants.W_OK);
    return ok(workersDir);
  } catch (error) {
    return fail(refusalOf(error, 'create the workers folder', workersDir));
  }
}

/** Level by level, because the recursive `mkdir` of Node reports a read-only file system as a missing folder. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' && dirname(folder) !== folder) {
      await makeFolder(dirname(folder));
      await makeFolder(folder);
    } else if (code !== 'EEXIST') {
      throw error;
    }
  }
}

/** The paths of a worker, derived from its id alone; null for an id outside the grammar (workers.md §1, §4.14). */
export function workerPaths(workersDir: string, workerId: string): WorkerPaths | null {
  if (!isWorkerId(workerId)) {
    return null;
  }
  const folder = join(workersDir, workerId);
  return {
    folder,
    statusFile: join(folder, 'status.json'),
    stopFlag: join(folder, 'stop-requested'),
    outputDir: join(folder, 'output'),
    errorLog: join(folder, 'error.log'),
    keeperFile: join(folder, 'keeper.json'),
    logFile: join(folder, 'worker.log'),
  };
}

/**
 * The absolute folder of an existing or future worker. Refuses an id outside the grammar and a folder that is a link
 * out of the project.
 */
export async function confinedWorkerFolder(
  root: string,
  workersDir: string,
  workerId: string,
): Promise<Result<string, RegistryRefusal>> {
  const paths = workerPaths(workersDir, workerId);
  if (paths === null) {
    return fail({ code: 'unsafe-root', message: `"${workerId}" is not a worker id. Copy one from the status table.` });
  }
  const confined = await confinedPath(root, relative(root, paths.folder));
  return confined.ok
    ? ok(paths.folder)
    : fail({
        code: 'unsafe-root',
        message: `The folder of ${workerId} is refused. ${confined.error} Replace the link by a real folder.`,
      });
}

/** A worker folder as a look finds it. */
export interface FoundFolder {
  /** When an entry of it last came, went or was replaced; null where there is no real folder. */
  readonly changedAt: number | null;
  /** Why it must not be looked into, or null. */
  readonly refusal: RegistryRefusal | null;
}

/** Finds the folders of many workers with one look at each: the way to them is checked once for all that ask together. */
export class FolderFinder {
  readonly #root: string;
  readonly #workersDir: string;
  #way: Promise<boolean> | null = null;

  constructor(root: string, workersDir: string) {
    this.#root = root;
    this.#workersDir = workersDir;
  }

  /** Judges as `confinedWorkerFolder` does. */
  async find(workerId: string): Promise<FoundFolder> {
    const paths = workerPaths(this.#workersDir, workerId);
    const wayIsSafe = await this.#wayIsSafe();
    const stat = paths === null ? null : await lstat(paths.folder).catch(() => null);
    if (wayIsSafe && stat?.isDirectory() === true) {
      return { changedAt: stat.mtimeMs, refusal: null };
    }
    const confined = await confinedWorkerFolder(this.#root, this.#workersDir, workerId);
    return { changedAt: null, refusal: confined.ok ? null : confined.error };
  }

  async #wayIsSafe(): Promise<boolean> {
    this.#way ??= this.#checkWay().finally(() => {
      this.#way = null;
    });
    return await this.#way;
  }

  async #checkWay(): Promise<boolean> {
    return (await confinedPath(this.#root, relative(this.#root, this.#workersDir))).ok;
  }
}
