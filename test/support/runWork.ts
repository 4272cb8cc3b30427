import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/core/base/clock';
import type { BuiltinType } from '../../src/worker/builtinType';
import { workContextOf } from '../../src/worker/workContext';

const WORKER_ID = 'wkr-20260301-143022-test';

/** What one builtin type left behind. */
export interface DoneWork {
  /** The phase of each item, in order. */
  readonly phases: readonly string[];
  /** `name: answer` of each item, then the closing line. */
  readonly log: readonly string[];
  /** The files of `output/` by name. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** Does all of a type's work in this process, on the real files of a project. */
export async function runWork(type: BuiltinType, root: string): Promise<DoneWork> {
  const folder = join(root, '.keysarium/workers', WORKER_ID);
  await mkdir(folder, { recursive: true });
  const order = { type: 'test', workerId: WORKER_ID, root, folder, paceMs: 0 };
  const work = await type(workContextOf(order, systemClock()));
  const log: string[] = [];
  for (const item of work.items) {
    log.push(`${item.name}: ${await item.run()}`);
  }
  log.push(await work.finish());
  return { phases: work.items.map(({ phase }) => phase), log, outputs: await outputsOf(folder), folder };
}

async function outputsOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(join(folder, 'output'));
  const texts = names.map(async (name) => [name, await readFile(join(folder, 'output', name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}
