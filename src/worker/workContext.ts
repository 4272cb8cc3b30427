import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Clock } from '../core/base/clock';
import { writeFileAtomic } from '../core/system/atomicFile';
import { confinedPath } from '../core/system/safePath';
import type { WorkContext } from './builtinType';
import { createExport } from './createExport';
import { openProject } from './project/projectReader';
import type { WorkerOrder } from './workerOrder';

/** What the ordered work may read and write: the project, this worker's folder and the exports. */
export function workContextOf(order: WorkerOrder, clock: Clock): WorkContext {
  return {
    workerId: order.workerId,
    workersRoot: workersRootOf(order),
    project: openProject(order.root),
    projectName: basename(order.root),
    clock,
    outputs: {
      write: async (name, text) => {
        await writeOutput(order.folder, name, text);
      },
      writeErrorLog: async (text) => {
        await writeFileAtomic(join(order.folder, 'error.log'), text);
      },
      createExport: async (name, text) => await createExport(order.root, name, text),
    },
  };
}

async function writeOutput(folder: string, name: string, text: string): Promise<void> {
  const path = await confinedPath(folder, `output/${name}`);
  if (!path.ok) {
    throw new Error(path.error);
  }
  await mkdir(dirname(path.value), { recursive: true });
  await writeFileAtomic(path.value, text);
}

function workersRootOf(order: WorkerOrder): string | null {
  const path = relative(order.root, dirname(order.folder)).split(sep).join('/');
  return path === '' || path.startsWith('..') || path.includes(':') ? null : path;
}
