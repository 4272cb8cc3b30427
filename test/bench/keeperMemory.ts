import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { endKeepersOf } from '../support/endKeepersOf';
import { type Bench, median } from './bench';
import { keepProcess, privateMegabytes } from './keptProcess';

const SLEEP = ['-e', 'setInterval(() => undefined, 60_000)'];
/** After its start a process gives back what it needed for that. */
const SETTLING_MS = 3_000;

/** What each worker costs besides itself: its keeper, against a Node that only sleeps. */
export const keeperMemory: Bench = {
  name: 'memory',
  run: async (context) => {
    if (process.platform !== 'linux') {
      return [];
    }
    const root = join(context.tempDir, 'memory');
    await mkdir(root);
    const sleeper = spawn(process.execPath, SLEEP, { stdio: 'ignore' });
    try {
      const kept = await keepProcess(root, SLEEP, context);
      await setTimeout(SETTLING_MS);
      const keeperPid = kept.record()?.keeper.pid ?? 0;
      return [
        {
          title: 'private memory of a keeper',
          unit: 'MB',
          value: await settled(keeperPid),
          reference: { title: 'sleeping node', value: await settled(sleeper.pid ?? 0) },
          bars: [
            { of: 'ratio', limit: 1.5 },
            { of: 'value', limit: 20 },
          ],
          note: null,
        },
      ];
    } finally {
      sleeper.kill('SIGKILL');
      await endKeepersOf(root);
    }
  },
};

async function settled(pid: number): Promise<number> {
  const sizes: number[] = [];
  for (let look = 0; look < 5; look += 1) {
    sizes.push(privateMegabytes(pid));
    await setTimeout(100);
  }
  return median(sizes);
}
