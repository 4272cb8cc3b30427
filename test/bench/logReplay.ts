import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { alternate, type Bench, type BenchRow } from './bench';
import { runForJson } from './runProgram';

/** Reading and folding a long event log, whole and from its newest snapshot, against parsing the same lines. */
export const logReplay: Bench = {
  name: 'replay',
  run: async (context) => {
    const count = context.short ? 100_000 : 1_000_000;
    const folder = join(context.tempDir, 'replay');
    mkdirSync(folder);
    const script = await context.script('replayScript');
    await runForJson(script, ['write', folder, String(count)]);
    const run = (job: string) => async (): Promise<number> => {
      const { ms, result } = await runForJson<{ ms: number; result: number }>(script, [job, folder]);
      if (result !== count) {
        throw new Error(`${job} came to event ${String(result)} of ${String(count)}`);
      }
      return ms;
    };
    const row = async (title: string, job: string, limit: number): Promise<BenchRow> => {
      const { ours, reference } = await alternate(context.short ? 1 : 3, run(job), run('parse'));
      return {
        title: `replay of ${count.toLocaleString('en')} events, ${title}`,
        unit: 'ms',
        value: ours,
        reference: { title: 'read and JSON.parse', value: reference },
        bars: [{ of: 'ratio', limit }],
        note: null,
      };
    };
    return [await row('whole', 'whole', 1.5), await row('with a snapshot', 'snapshot', 0.02)];
  },
};
