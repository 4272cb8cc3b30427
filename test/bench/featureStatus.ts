import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openWindowHost } from '../support/openWindowHost';
import { alternate, type Bench, type BenchContext, type BenchRow, median, timeOf } from './bench';
import { runForJson, runProgram } from './runProgram';
import { type RunPlan, writeRun } from './runFiles';

const SIZES = [10, 100, 1_000];
const WORKERS = 10;
/** Noise allowed on top of a cost that grows like the number of tasks. */
const LINEAR = 1.5;

function runIn({ tempDir }: BenchContext, tasks: number): RunPlan {
  const root = join(tempDir, `run-${String(tasks)}`);
  mkdirSync(root, { recursive: true });
  const plan = { root, feature: 'bench', tasks, workers: WORKERS };
  writeRun(plan);
  return plan;
}

async function python(...args: readonly string[]): Promise<void> {
  await promisify(execFile)('python3', args);
}

/** `rollcall status --feature` with 200 tasks and 10 workers, from the start of the process to its end. */
async function wholeProcess(context: BenchContext): Promise<BenchRow> {
  const { root, feature } = runIn(context, 200);
  const status = [join(context.distDir, 'cli.js'), 'status', '--feature', feature];
  const reader = join('test', 'bench', 'readRun.py');
  const ours = async (): Promise<number> => timeOf(async () => runProgram(status, { cwd: root }));
  const theirs = async (): Promise<number> => timeOf(async () => python(reader, root));
  // The first run of each compiles what later ones load.
  await Promise.all([ours(), theirs()]);
  const figures = await alternate(context.short ? 3 : 15, ours, theirs);
  const bare = await timeOf(async () => runProgram(['-e', '0']));
  return {
    title: 'feature status, 200 tasks, 10 workers, whole process',
    unit: 'ms',
    value: figures.ours,
    reference: { title: 'Python reads and parses the same', value: figures.reference },
    bars: [{ of: 'ratio', limit: 1.5 }],
    note: `a bare node takes ${bare.toFixed(0)} ms here`,
  };
}

interface SizeFigures {
  readonly count: number;
  readonly first: number;
  readonly again: number;
}

/** A look of a process that never looked before, and one of a window that looks every second. */
async function looksAt(count: number, context: BenchContext): Promise<SizeFigures> {
  const { root } = runIn(context, count);
  const rounds = context.short ? 3 : 15;
  const window = await openWindowHost(root, context);
  const first: number[] = [];
  const again: number[] = [];
  await window.features({});
  for (let round = 0; round < rounds; round += 1) {
    const fresh = await openWindowHost(root, context);
    first.push(await timeOf(async () => fresh.features({})));
    again.push(await timeOf(async () => window.features({})));
    await fresh.shutdown();
  }
  await window.shutdown();
  await rm(root, { recursive: true });
  return { count, first: median(first), again: median(again) };
}

function rowsOf({ count, first, again }: SizeFigures): readonly BenchRow[] {
  const row = { unit: 'ms', reference: null, bars: [], note: null };
  return [
    { ...row, title: `look at a run of ${String(count)} tasks, first of a process`, value: first },
    { ...row, title: `look at a run of ${String(count)} tasks, again`, value: again },
  ];
}

function growthOf(sizes: readonly SizeFigures[]): readonly BenchRow[] {
  return sizes.slice(1).map(({ count, first }, index) => {
    const before = sizes[index];
    return {
      title: `cost per task at ${String(count)} against ${String(before?.count ?? 0)}`,
      unit: 'ms',
      value: first / count,
      reference: { title: 'per task', value: (before?.first ?? Number.NaN) / (before?.count ?? 1) },
      bars: [{ of: 'ratio', limit: LINEAR }],
      note: null,
    };
  });
}

/** What a window costs that shows a run in which nothing happens, in percent of one processor. */
async function idle(context: BenchContext): Promise<BenchRow> {
  const { root } = runIn(context, 200);
  const script = await context.script('watchRunScript');
  const seconds = String(context.short ? 5 : 60);
  const { percent } = await runForJson<{ percent: number }>(script, [root, context.distDir, seconds]);
  return {
    title: 'window that shows an idle run of 200 tasks',
    unit: '% CPU',
    value: percent,
    reference: null,
    bars: [],
    note: null,
  };
}

/** What it costs to look at the feature runs of other sessions. */
export const featureStatus: Bench = {
  name: 'features',
  run: async (context) => {
    const whole = await wholeProcess(context);
    const sizes: SizeFigures[] = [];
    for (const count of SIZES) {
      sizes.push(await looksAt(count, context));
    }
    return [whole, await idle(context), ...sizes.flatMap(rowsOf), ...growthOf(sizes)];
  },
};
