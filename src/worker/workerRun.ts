import { join } from 'node:path';
import type { Clock } from '../core/base/clock';
import { errorText } from '../core/base/errorText';
import { writeFileAtomic } from '../core/system/atomicFile';
import type { BuiltinType, Work } from './builtinType';
import { StatusFile } from './statusFile';
import { StopFlag } from './stopFlag';
import { workContextOf } from './workContext';
import type { WorkerOrder } from './workerOrder';

/** The world around one run. */
export interface RunSurroundings {
  readonly clock: Clock;
  readonly types: ReadonlyMap<string, BuiltinType>;
  /** Takes one line of the readable log. */
  readonly log: (line: string) => void;
}

/**
 * Does the ordered work from the first status.json to the last, and gives the exit code: 0 when it completed or
 * stopped as asked, 1 when it failed. A failure is in status.json, in error.log and in the log.
 */
export async function runWorker(order: WorkerOrder, surroundings: RunSurroundings): Promise<number> {
  const { clock, log } = surroundings;
  const status = await StatusFile.open(order, clock);
  try {
    await work(order, surroundings, status);
    return 0;
  } catch (error) {
    log(`Failed: ${errorText(error)}`);
    await writeFileAtomic(join(order.folder, 'error.log'), errorLogOf(order, clock, error));
    await status.end('failed', errorText(error));
    return 1;
  }
}

async function work(order: WorkerOrder, { clock, types, log }: RunSurroundings, status: StatusFile): Promise<void> {
  const plan = types.get(order.type);
  if (plan === undefined) {
    throw new Error(unknownTypeText(order.type, [...types.keys()]));
  }
  await status.running({ phase: 'initializing', items_processed: 0, total_items: null });
  const planned = await plan(workContextOf(order, clock));
  const flag = new StopFlag(order.folder, clock);
  log(`${order.type}: ${planned.items.length} items`);
  if (await doItems(planned, { flag, status, log, paceMs: order.paceMs })) {
    log(await planned.finish());
    await status.end('completed');
  } else {
    log('Stopped as asked.');
    await status.end('stopped');
  }
}

interface Pacing {
  readonly flag: StopFlag;
  readonly status: StatusFile;
  readonly log: (line: string) => void;
  readonly paceMs: number;
}

/** Answers false when a stop request was found on the way. */
async function doItems({ items, finishPhase }: Work, { flag, status, log, paceMs }: Pacing): Promise<boolean> {
  for (const [index, item] of items.entries()) {
    await status.running({ phase: item.phase, items_processed: index, total_items: items.length });
    if (await flag.appearsWithin(paceMs)) {
      return false;
    }
    log(`[${index + 1}/${items.length}] ${item.name}: ${await item.run()}`);
  }
  await status.running({ phase: finishPhase, items_processed: items.length, total_items: items.length });
  return !(await flag.isSet());
}

function unknownTypeText(type: string, known: readonly string[]): string {
  const choice = known.join(', ');
  return `The builtin engine cannot do ${type}; it can do: ${choice}. Give the type another engine in .vscode/workers.json.`;
}

function errorLogOf(order: WorkerOrder, clock: Clock, error: unknown): string {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${new Date(clock.now()).toISOString()} ${order.workerId}\n${what}\n`;
}
