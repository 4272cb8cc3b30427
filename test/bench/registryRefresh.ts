import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownIdentity } from '../../src/core/system/processIdentity';
import { alternate, type Bar, type Bench, type BenchContext, type BenchRow, timeOf } from './bench';
import { type FleetFiles, writeFleet } from './fleetFiles';
import { openWindowHost } from '../support/openWindowHost';

const SIZES = [10, 100, 1_000];
/** Noise allowed on top of a cost that grows like the number of workers. */
const LINEAR = 1.5;

/** The whole status protocol, look included, against reading and parsing the same files; a fifth of the fleet runs. */
export const registryRefresh: Bench = {
  name: 'refresh',
  run: async (context) => {
    const sizes: SizeFigures[] = [];
    for (const count of SIZES) {
      sizes.push(await refreshOf(count, context));
    }
    return [...sizes.flatMap(rowsOf), ...growthOf(sizes)];
  },
};

interface SizeFigures {
  readonly count: number;
  readonly first: Figures;
  readonly again: Figures;
}

interface Figures {
  readonly ours: number;
  readonly reference: number;
}

async function refreshOf(count: number, context: BenchContext): Promise<SizeFigures> {
  const root = join(context.tempDir, `fleet-${String(count)}`);
  const files = await writeFleet({ root, count, active: count / 5, living: await ownIdentity() });
  const rounds = context.short ? 3 : 15;
  const window = await openWindowHost(root, context);
  await window.refresh();
  try {
    const reference = async (): Promise<number> => timeOf(async () => readAll(files));
    const first = await alternate(rounds, async () => firstRefresh(root, context), reference);
    const again = await alternate(rounds, async () => timeOf(async () => window.refresh()), reference);
    return { count, first, again };
  } finally {
    await window.shutdown();
    await rm(root, { recursive: true });
  }
}

async function firstRefresh(root: string, context: BenchContext): Promise<number> {
  const host = await openWindowHost(root, context);
  const time = await timeOf(async () => host.refresh());
  await host.shutdown();
  return time;
}

async function readAll({ registry, statuses, keepers }: FleetFiles): Promise<void> {
  const paths = [registry, ...statuses, ...keepers];
  await Promise.all(paths.map(async (path) => JSON.parse(await readFile(path, 'utf8')) as unknown));
}

function rowsOf({ count, first, again }: SizeFigures): readonly BenchRow[] {
  const bars: readonly Bar[] = count === 1_000 ? [{ of: 'ratio', limit: 2 }] : [];
  const row = (title: string, figures: Figures): BenchRow => ({
    title: `refresh of ${String(count)} workers, ${title}`,
    unit: 'ms',
    value: figures.ours,
    reference: { title: 'read and JSON.parse', value: figures.reference },
    bars,
    note: null,
  });
  return [row('first of a process', first), row('again', again)];
}

function growthOf(sizes: readonly SizeFigures[]): readonly BenchRow[] {
  return sizes.slice(1).map(({ count, first }, index) => {
    const before = sizes[index];
    return {
      title: `cost per worker at ${String(count)} against ${String(before?.count ?? 0)}`,
      unit: 'ms',
      value: first.ours / count,
      reference: { title: 'per worker', value: (before?.first.ours ?? Number.NaN) / (before?.count ?? 1) },
      bars: [{ of: 'ratio', limit: LINEAR }],
      note: null,
    };
  });
}
