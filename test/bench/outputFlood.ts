import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { endKeepersOf } from '../support/endKeepersOf';
import { alternate, type Bench, type BenchContext, type BenchRow, median, timeOf } from './bench';
import { keepProcess, privateMegabytes } from './keptProcess';

const FLOOD = resolve('test', 'fixtures', 'workers', 'flood.mjs');
const LOOK_MS = 20;

/** A worker that writes as fast as it can, its output followed into a bounded log, against a plain file. */
export const outputFlood: Bench = {
  name: 'flood',
  run: async (context) => {
    const megabytes = context.short ? 200 : 1000;
    const floods: Flood[] = [];
    const ours = async (): Promise<number> => {
      const flood = await keptFlood(megabytes, context);
      floods.push(flood);
      return megabytes / flood.writingMs;
    };
    const theirs = async (): Promise<number> => megabytes / (await plainFlood(megabytes, context));
    const speed = await alternate(context.short ? 1 : 5, ours, theirs);
    const memory = floods.flatMap((flood) => flood.memory);
    const row = (title: string, value: number, bars: BenchRow['bars']): BenchRow => {
      const reference = { title: 'into a plain file', value: speed.reference };
      return { title, unit: 'MB/ms', value, reference, bars, note: null };
    };
    const followed = median(floods.map(({ followedMs }) => megabytes / followedMs));
    return [
      row(`output of ${String(megabytes)} MB, as its writer feels it`, speed.ours, [
        { of: 'ratio', limit: 0.8, least: true },
      ]),
      row('the same, from the start of the keeper to the last line in the log', followed, []),
      {
        title: 'private memory of the keeper meanwhile, at most',
        unit: 'MB',
        value: Math.max(...memory.filter((size) => !Number.isNaN(size))),
        reference: { title: 'median meanwhile', value: median(memory.filter((size) => !Number.isNaN(size))) },
        bars: [],
        note: null,
      },
    ];
  },
};

interface Flood {
  /** From the start of the writer's process to its end. */
  readonly writingMs: number;
  /** From the start of the keeper until the end is recorded: then everything is in the log, or counted as dropped. */
  readonly followedMs: number;
  /** Private memory of the keeper, MB, many times. */
  readonly memory: readonly number[];
}

async function plainFlood(megabytes: number, { tempDir }: BenchContext): Promise<number> {
  const path = join(tempDir, 'plain.out');
  const file = openSync(path, 'w');
  const time = await timeOf(async () =>
    once(spawn(process.execPath, [FLOOD, String(megabytes), 'lines'], { stdio: ['ignore', file, 'ignore'] }), 'close'),
  );
  closeSync(file);
  await rm(path);
  return time;
}

async function keptFlood(megabytes: number, context: BenchContext): Promise<Flood> {
  const root = join(context.tempDir, 'flood');
  await mkdir(root);
  const memory: number[] = [];
  try {
    const started = performance.now();
    const { record } = await keepProcess(root, [FLOOD, String(megabytes), 'lines'], context);
    for (;;) {
      const now = record();
      const attempt = now?.attempts.at(-1);
      if (attempt !== undefined && attempt.exit !== null) {
        const writingMs = Date.parse(attempt.exit.at) - Date.parse(attempt.startedAt);
        return { writingMs, followedMs: performance.now() - started, memory };
      }
      memory.push(privateMegabytes(now?.keeper.pid ?? 0));
      await setTimeout(LOOK_MS);
    }
  } finally {
    await endKeepersOf(root);
    await rm(root, { recursive: true });
  }
}
